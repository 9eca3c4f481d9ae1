# The façade: what `import dprivacy as dp` offers, and the one place where it is listed. Type checkers
# and editors read this file, and so does __init__.py when the package is imported: keep to the form
# the form below. Signatures stand in the rooms.
from dprivacy import (
    collecting as collecting,
    curves as curves,
    design as design,
    errors as errors,
    estimation as estimation,
    flow as flow,
    geo as geo,
    hashing as hashing,
    mechanisms as mechanisms,
    model as model,
    numbers as numbers,
    polytope as polytope,
    refine as refine,
    release as release,
    reproduce as reproduce,
    sampling as sampling,
    sources as sources,
    spaces as spaces,
    store as store,
    text as text,
    typing as typing,
    verify as verify,
    viz as viz,
    web as web,
)
from dprivacy.curves import protect_curves as protect_curves
from dprivacy.design import (
    optimal as optimal,
    remap as remap,
    universally_optimal as universally_optimal,
)
from dprivacy.estimation import estimate as estimate, regress as regress
from dprivacy.flow import (
    Loss as Loss,
    capacity as capacity,
    gain as gain,
    inference as inference,
    leakage as leakage,
    loss as loss,
    vulnerability as vulnerability,
)
from dprivacy.geo import protect_places as protect_places
from dprivacy.hashing import match as match
from dprivacy.mechanisms import (
    any_metric as any_metric,
    exponential as exponential,
    geometric as geometric,
    laplace as laplace,
    planar_laplace as planar_laplace,
    randomised_response as randomised_response,
    vector_laplace as vector_laplace,
)
from dprivacy.model import (
    Answer as Answer,
    Channel as Channel,
    Dist as Dist,
    Gain as Gain,
    Guarantee as Guarantee,
    Hyper as Hyper,
    Mechanism as Mechanism,
    Verdict as Verdict,
    as_channel as as_channel,
    as_space as as_space,
    push as push,
    uniform as uniform,
)
from dprivacy.numbers import Level as Level, ln as ln
from dprivacy.refine import refines as refines
from dprivacy.release import (
    Card as Card,
    Ledger as Ledger,
    Plan as Plan,
    Released as Released,
    protect_text as protect_text,
    query as query,
    report as report,
    sanitise as sanitise,
    sanitise_file as sanitise_file,
)
from dprivacy.spaces import (
    FiniteSpace as FiniteSpace,
    discrete as discrete,
    graph as graph,
    grid as grid,
    line as line,
    points as points,
    product as product,
)
from dprivacy.store import load as load, save as save
from dprivacy.verify import (
    audit as audit,
    distinguishability as distinguishability,
    exactly as exactly,
    privacy as privacy,
    privacy_profile as privacy_profile,
    smallest_eps as smallest_eps,
)

__version__: str
