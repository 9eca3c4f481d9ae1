// The walks of `trees` and the flows of `flows` on a graphics card: the same steps, run side by side.
//
// A walk is one block of threads for one output. What the steps of `compiled.walk` do point after point,
// the threads do level by level of the tree; only the turning of a path is left to one of them.
//
// Sums of a level are added by atomic operations, so that two runs may differ in the last digits.

#define FAR 1e300
#define RENEW 64
#define STEEP 300.0

typedef long long whole;

// ---------------------------------------------------------------------------------------- reductions

struct Tight {  // how far a pair is from tight, the point inside and the point outside
    double far;
    int inside, outside;
};

__device__ bool before(Tight a, Tight b) {
    if (a.far != b.far) return a.far < b.far;
    return a.inside != b.inside ? a.inside < b.inside : a.outside < b.outside;
}

__device__ double sum_of_block(double value, double* scratch) {
    __syncthreads();
    scratch[threadIdx.x] = value;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) scratch[threadIdx.x] += scratch[threadIdx.x + half];
        __syncthreads();
    }
    return scratch[0];
}

__device__ Tight least_of_block(Tight mine, Tight* scratch) {
    __syncthreads();
    scratch[threadIdx.x] = mine;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half && before(scratch[threadIdx.x + half], scratch[threadIdx.x]))
            scratch[threadIdx.x] = scratch[threadIdx.x + half];
        __syncthreads();
    }
    return scratch[0];
}

// ---------------------------------------------------------------------------------------------- trees

// Turn the edges between v and a point above it, so that v is where that point was.
__device__ void turn(short* parent, signed char* sign, int v, int end, int new_parent, int new_sign) {
    while (true) {
        int old_parent = parent[v], old_sign = sign[v];
        parent[v] = (short)new_parent;
        sign[v] = (signed char)new_sign;
        if (v == end || old_parent < 0) return;
        new_parent = v;
        new_sign = -old_sign;
        v = old_parent;
    }
}

// How deep every point lies; the deepest.
__device__ int levels(const short* parent, short* depth, int n, int* deepest) {
    __syncthreads();
    if (threadIdx.x == 0) *deepest = 0;
    __syncthreads();
    int mine = 0;
    for (int v = threadIdx.x; v < n; v += blockDim.x) {
        int down = 0;
        for (int above = parent[v]; above >= 0; above = parent[above]) down++;
        depth[v] = (short)down;
        mine = max(mine, down);
    }
    atomicMax(deepest, mine);
    __syncthreads();
    return *deepest;
}

__device__ int highest(const double* potential, int n, Tight* scratch) {
    Tight top = {FAR, n, n};
    for (int v = threadIdx.x; v < n; v += blockDim.x) {
        Tight here = {-potential[v], v, v};
        if (before(here, top)) top = here;
    }
    return least_of_block(top, scratch).inside;
}

// ---------------------------------------------------------------------------------------------- walks

extern "C" __global__ void walk(
    const double* __restrict__ lengths, const double* __restrict__ prices, whole* parents, whole* signs, double* potentials,
    double* ratios, whole* pivots_taken, int n, whole pivots, double tolerance)
{
    extern __shared__ double memory[];
    double* potential = memory;
    double* z = potential + n;
    double* pull = z + n;  // and the distances to the other side, when a subtree moves
    double* size = pull + n;  // and the rows to look through
    Tight* pairs = (Tight*)(size + n);
    double* scratch = (double*)pairs;
    short* parent = (short*)(pairs + blockDim.x);
    short* depth = parent + n;
    signed char* sign = (signed char*)(depth + n);
    signed char* inside = sign + n;
    double* masked = pull;
    int* rows = (int*)size;
    __shared__ int deepest, many, moved;

    const whole at = (whole)blockIdx.x * n;
    const double* r = prices + at;
    const int t = threadIdx.x, threads = blockDim.x;
    for (int v = t; v < n; v += threads) {
        parent[v] = (short)parents[at + v];
        sign[v] = (signed char)signs[at + v];
        potential[v] = potentials[at + v];
    }
    whole taken = 0, renewed = -1;
    double ratio;
    __syncthreads();
    while (true) {
        bool renew = taken % RENEW == 0 && renewed < taken;
        if (renew) {
            int top = highest(potential, n, pairs);
            if (t == 0 && parent[top] >= 0) turn(parent, sign, top, -1, -1, -1);
        }
        int bottom = levels(parent, depth, n, &deepest);
        if (renew) {  // steps add up rounding errors; the tree itself has none
            renewed = taken;
            for (int level = 1; level <= bottom; level++) {
                for (int v = t; v < n; v += threads)
                    if (depth[v] == level) {
                        int p = parent[v];
                        potential[v] = potential[p] + sign[v] * lengths[(whole)v * n + p];
                    }
                __syncthreads();
            }
            double top = potential[highest(potential, n, pairs)];
            for (int v = t; v < n; v += threads) z[v] = exp(potential[v] - top);
            __syncthreads();
        }
        double mine = 0.0, cost = 0.0;
        for (int v = t; v < n; v += threads) {
            mine += z[v];
            cost += r[v] * z[v];
        }
        double total = sum_of_block(mine, scratch);
        cost = sum_of_block(cost, scratch);
        ratio = cost / total;
        if (taken >= pivots) break;

        for (int v = t; v < n; v += threads) {
            pull[v] = (r[v] - ratio) * z[v];
            size[v] = fabs(pull[v]);
        }
        __syncthreads();
        for (int level = bottom; level > 0; level--) {
            for (int v = t; v < n; v += threads)
                if (depth[v] == level) {
                    atomicAdd(&pull[parent[v]], pull[v]);
                    atomicAdd(&size[parent[v]], size[v]);
                }
            __syncthreads();
        }
        Tight worst = {0.0, n, n};
        for (int v = t; v < n; v += threads) {
            double wrong = sign[v] * pull[v];
            if (parent[v] >= 0 && wrong > 0.0 && wrong > tolerance * size[v]) {
                Tight here = {-wrong, v, v};
                if (before(here, worst)) worst = here;
            }
        }
        int leaving = least_of_block(worst, pairs).inside;
        if (leaving == n) {
            int top = highest(potential, n, pairs);
            if (t == 0) {
                moved = parent[top] >= 0;
                if (moved) turn(parent, sign, top, -1, -1, -1);
            }
            __syncthreads();
            if (moved) continue;
            break;
        }

        // The subtree of `leaving`, and how far it can move before another pair is tight.
        bool up = sign[leaving] < 0;
        double direction = up ? 1.0 : -1.0;
        if (t == 0) many = 0;
        __syncthreads();
        int own = 0;
        for (int v = t; v < n; v += threads) {
            int above = v;
            while (depth[above] > depth[leaving]) above = parent[above];
            inside[v] = above == leaving;
            own += inside[v];
        }
        atomicAdd(&many, own);
        __syncthreads();
        int count = many;
        bool inner = 2 * count <= n;  // the smaller side is gone through row by row
        __syncthreads();
        if (t == 0) many = 0;
        __syncthreads();
        for (int v = t; v < n; v += threads) {
            bool row = inner == (bool)inside[v];
            masked[v] = row ? FAR : (inner ? direction : -direction) * potential[v];
            if (row) rows[atomicAdd(&many, 1)] = v;
        }
        __syncthreads();
        Tight near = {FAR, n, n};
        for (int k = t / 32; k < many; k += threads / 32) {
            int i = rows[k];
            const double* row = lengths + (whole)i * n;
            double here = (inner ? -direction : direction) * potential[i];
            for (int j = t % 32; j < n; j += 32) {
                double far = row[j] + masked[j] + here;
                if (far < near.far) near = inner ? Tight{far, i, j} : Tight{far, j, i};
            }
        }
        near = least_of_block(near, pairs);
        double shift = direction * fmax(near.far, 0.0), factor = exp(shift);
        for (int v = t; v < n; v += threads)
            if (inside[v]) {
                potential[v] += shift;
                z[v] *= factor;
            }
        if (t == 0) turn(parent, sign, near.inside, leaving, near.outside, up ? 1 : -1);
        __syncthreads();
        taken++;
    }
    for (int v = t; v < n; v += threads) {
        parents[at + v] = parent[v];
        signs[at + v] = sign[v];
        potentials[at + v] = potential[v];
    }
    if (t == 0) {
        ratios[blockIdx.x] = ratio;
        pivots_taken[blockIdx.x] = taken;
    }
}

// ---------------------------------------------------------------------------------------------- flows

// `flows.flow_on_tree`, one thread for one output. What is left of the prices replaces them.
extern "C" __global__ void flow(
    const double* scaled, double* prices, const whole* parents, const whole* signs, double* flows,
    double* potentials, int* orders, int* heads, int* followings, int n, int m)
{
    int y = blockIdx.x * blockDim.x + threadIdx.x;
    if (y >= m) return;
    const whole at = (whole)y * n;
    const whole *parent = parents + at, *sign = signs + at;
    double *left = prices + at, *carried = flows + at, *potential = potentials + at;
    int *order = orders + at, *head = heads + at, *following = followings + at;
    int end = 0;
    for (int i = 0; i < n; i++) head[i] = -1;
    for (int i = 0; i < n; i++) {
        if (parent[i] >= 0) {
            following[i] = head[parent[i]];
            head[parent[i]] = i;
        } else {
            potential[i] = 0.0;
            order[end++] = i;
        }
    }
    double top = 0.0;
    for (int k = 0; k < end; k++) {
        int v = order[k];
        for (int c = head[v]; c >= 0; c = following[c]) {
            potential[c] = potential[v] + sign[c] * fmin(scaled[(whole)c * n + v], STEEP);
            top = fmax(top, potential[c]);
            order[end++] = c;
        }
    }
    double total = 0.0, cost = 0.0;
    for (int i = 0; i < n; i++) {
        double z = exp(potential[i] - top);
        total += z;
        cost += left[i] * z;
    }
    double ratio = cost / total;
    for (int i = 0; i < n; i++) left[i] -= ratio;
    for (int k = n - 1; k >= 0; k--) {
        int v = order[k];
        whole p = parent[v];
        carried[v] = 0.0;
        if (p < 0) continue;
        double length = scaled[(whole)v * n + p];
        if (length > STEEP) continue;
        if (sign[v] < 0 && left[v] > 0.0) {
            carried[v] = left[v] * exp(-length);
            left[p] += carried[v];
            left[v] = 0.0;
        } else if (sign[v] > 0 && left[v] < 0.0) {
            carried[v] = -left[v];
            left[p] -= carried[v] * exp(length);
            left[v] = 0.0;
        }
    }
    for (int k = 0; k < n; k++) {
        int v = order[k];
        for (int c = head[v]; c >= 0 && left[v] < 0.0; c = following[c]) {
            if (sign[c] > 0 && carried[c] > 0.0) {
                double length = scaled[(whole)c * n + v];
                double back = fmin(-left[v], carried[c] * exp(length));
                double part = back * exp(-length);
                left[v] += back;
                left[c] -= part;
                carried[c] = fmax(carried[c] - part, 0.0);
            }
        }
    }
    for (int i = 0; i < n; i++) left[i] += ratio;
}
