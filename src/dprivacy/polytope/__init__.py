"""The geometry of private mechanisms: vertices, kernels, and the extreme points of local privacy.

The posteriors of ε·d-private channels form a polytope. Channels whose posteriors are vertices of it
and independent are the kernels: all private channels are made of them. For the discrete metric on n
inputs and n outputs the private channels themselves form a polytope, and its extreme points are known,
with a slack δ as well.
Everything is exact; e^ε has to be rational wherever entries are listed.
"""

from dprivacy.polytope.breaks.break_points import (
    KernelBreak as KernelBreak,
    KernelBreaks as KernelBreaks,
    kernel_breaks as kernel_breaks,
)
from dprivacy.polytope.cones.cone_vertices import (
    PosteriorVerdict as PosteriorVerdict,
    posterior_privacy as posterior_privacy,
    vertices as vertices,
)
from dprivacy.polytope.cones.private_cone import (
    Inequality as Inequality,
    inequalities as inequalities,
)
from dprivacy.polytope.counted_parts import (
    ExtremePointCount as ExtremePointCount,
    KernelCount as KernelCount,
)
from dprivacy.polytope.extreme_check import (
    ExtremeVerdict as ExtremeVerdict,
    is_extreme as is_extreme,
)
from dprivacy.polytope.extreme_count import count_extreme_points as count_extreme_points
from dprivacy.polytope.extreme_list import extreme_points as extreme_points
from dprivacy.polytope.kernel_check import (
    KernelVerdict as KernelVerdict,
    is_kernel as is_kernel,
    is_vertex_mechanism as is_vertex_mechanism,
)
from dprivacy.polytope.kernel_decomposition import (
    Decomposition as Decomposition,
    decompose as decompose,
)
from dprivacy.polytope.kernel_list import count_kernels as count_kernels, kernels as kernels
from dprivacy.polytope.local_polytope import (
    MembershipVerdict as MembershipVerdict,
    local_privacy as local_privacy,
    loose_entries as loose_entries,
)
from dprivacy.polytope.slack.breaks_by_delta import (
    DeltaBreaks as DeltaBreaks,
    delta_breaks as delta_breaks,
)
from dprivacy.polytope.slack.level_tables import Curve as Curve, LevelCell as LevelCell

# isort: split
# For other rooms; not part of the surface.
from dprivacy.polytope.cones.cone_vertices import primitive as primitive, rays as rays
from dprivacy.polytope.cones.exact_columns import Read as Read
from dprivacy.polytope.cones.private_cone import Column as Column, Cone as Cone
from dprivacy.polytope.slack.column_fan import fan_rays as fan_rays, ray_leaks as ray_leaks
