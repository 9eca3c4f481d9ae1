"""Mechanisms: each carries its guarantee, and draws exactly what was proved."""

from dprivacy.mechanisms.families.anchored_codes import coded_laplace as coded_laplace
from dprivacy.mechanisms.families.any_finite_metric import any_metric as any_metric
from dprivacy.mechanisms.families.bitwise import (
    BitwiseMechanism as BitwiseMechanism,
    bitwise_response as bitwise_response,
)
from dprivacy.mechanisms.families.exponential_draws import exponential as exponential
from dprivacy.mechanisms.families.geometric_line import (
    geometric as geometric,
    over_truncated as over_truncated,
)
from dprivacy.mechanisms.families.laplace_grid import (
    GridNoise as GridNoise,
    integer_geometric as integer_geometric,
    laplace as laplace,
    laplace_scale as laplace_scale,
)
from dprivacy.mechanisms.families.planar_grid import (
    PlanarMechanism as PlanarMechanism,
    planar_laplace as planar_laplace,
)
from dprivacy.mechanisms.families.response import (
    randomised_response as randomised_response,
    response_chance as response_chance,
    response_eps as response_eps,
    response_exponent as response_exponent,
)
from dprivacy.mechanisms.families.truncated_laplace import (
    geometric_steps as geometric_steps,
    pixelated_laplace as pixelated_laplace,
    truncated_laplace_cdf as truncated_laplace_cdf,
)
from dprivacy.mechanisms.families.vector_noise import (
    VectorMechanism as VectorMechanism,
    vector_laplace as vector_laplace,
)
from dprivacy.mechanisms.family_list import FAMILIES as FAMILIES
from dprivacy.mechanisms.groundwork.channel_mechanism import ChannelMechanism as ChannelMechanism
from dprivacy.mechanisms.groundwork.family_record import Family as Family
from dprivacy.mechanisms.local.kept_reports import Memoised as Memoised, memoised as memoised
from dprivacy.mechanisms.local.local_families import (
    hashed_response as hashed_response,
    projective_response as projective_response,
    subset_response as subset_response,
    unary_response as unary_response,
)
from dprivacy.mechanisms.local.local_mechanism import (
    LocalMechanism as LocalMechanism,
    ReportCounts as ReportCounts,
)
from dprivacy.mechanisms.local.protocol_choice import (
    Candidate as Candidate,
    LocalPlan as LocalPlan,
    local_plan as local_plan,
)
from dprivacy.mechanisms.local.whole_records import (
    SeveralAttributes as SeveralAttributes,
    several_attributes as several_attributes,
)
from dprivacy.mechanisms.paper.paper_designs import (
    PaperDesign as PaperDesign,
    balanced_design as balanced_design,
    paper_design as paper_design,
)
from dprivacy.mechanisms.paper.question_plan import (
    Device as Device,
    QuestionPlan as QuestionPlan,
    plan_question as plan_question,
)
from dprivacy.mechanisms.rounds.asking_in_rounds import (
    Beginning as Beginning,
    ClosedRound as ClosedRound,
    PrefixRounds as PrefixRounds,
    prefix_rounds as prefix_rounds,
)
from dprivacy.mechanisms.workflows import (
    ObliviousMechanism as ObliviousMechanism,
    SequentialMechanism as SequentialMechanism,
    oblivious as oblivious,
    over_rows as over_rows,
    sequential as sequential,
)

# isort: split
# For other rooms; not part of the surface.
from dprivacy.mechanisms.containers.python_values import (
    listed as listed,
    refuse_masked as refuse_masked,
)
from dprivacy.mechanisms.families.laplace_grid import (
    MOST_LISTED as MOST_LISTED,
    grid_line as grid_line,
    nearest_on as nearest_on,
)
from dprivacy.mechanisms.groundwork.channel_mechanism import promised as promised
from dprivacy.mechanisms.groundwork.label_codes import (
    Coder as Coder,
    read_doubles as read_doubles,
    whole as whole,
)
from dprivacy.mechanisms.groundwork.mechanism_file import (
    mechanism_body as mechanism_body,
    mechanism_from as mechanism_from,
    mechanism_text as mechanism_text,
    read_mechanism as read_mechanism,
)
from dprivacy.mechanisms.local.geometry_reports import HyperplaneReports as HyperplaneReports
from dprivacy.mechanisms.local.local_file import (
    LARGEST_WHOLE as LARGEST_WHOLE,
    local_body as local_body,
    local_document as local_document,
    local_from as local_from,
    local_in as local_in,
    require_storable as require_storable,
)
from dprivacy.mechanisms.local.report_cells import (
    NUMBER as NUMBER,
    cell_form as cell_form,
    cells_of as cells_of,
    counts_in as counts_in,
    longest_cell as longest_cell,
    reports_in as reports_in,
)
from dprivacy.mechanisms.local.set_reports import UnaryReports as UnaryReports
from dprivacy.mechanisms.rounds.rounds_file import (
    rounds_body as rounds_body,
    rounds_from as rounds_from,
)
from dprivacy.mechanisms.zoo.broken_samplers import exhibits as exhibits
from dprivacy.mechanisms.zoo.exhibit import Exhibit as Exhibit
