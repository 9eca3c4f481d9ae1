"""The nouns: distributions, channels, hypers, gains, guarantees, verdicts, mechanisms."""

from dprivacy.model.answers import Answer as Answer, Verdict as Verdict
from dprivacy.model.channels import Channel as Channel, Hyper as Hyper
from dprivacy.model.combined_channels import mixture as mixture, parallel as parallel
from dprivacy.model.distributions import Dist as Dist, as_prior as as_prior
from dprivacy.model.first_distributions import (
    empirical as empirical,
    joint as joint,
    point as point,
    uniform as uniform,
)
from dprivacy.model.guarantees import Guarantee as Guarantee
from dprivacy.model.hyper_moves import (
    EarthMove as EarthMove,
    earth_move as earth_move,
    push as push,
)
from dprivacy.model.labelled_matrix import Gain as Gain
from dprivacy.model.matrices.printed_channel import PrintedChannel as PrintedChannel
from dprivacy.model.mechanism_protocol import Mechanism as Mechanism
from dprivacy.model.noun_input import (
    as_channel as as_channel,
    as_space as as_space,
    printed as printed,
)

# isort: split
# For other rooms; not part of the surface.
from dprivacy.errors import counted as counted
from dprivacy.model.answers import Pictured as Pictured
from dprivacy.model.block_laws import BlockLaw as BlockLaw
from dprivacy.model.channels import (
    joint_entries as joint_entries,
    joint_probabilities as joint_probabilities,
    prior_for as prior_for,
    require_channel_space as require_channel_space,
)
from dprivacy.model.documents import (
    Document as Document,
    as_path as as_path,
    digest as digest,
    file_bytes as file_bytes,
    file_text as file_text,
    open_regular as open_regular,
    parsed_json as parsed_json,
    read_document as read_document,
    rebuilt as rebuilt,
    require_keys as require_keys,
    require_regular as require_regular,
    text_of as text_of,
    write_document as write_document,
)
from dprivacy.model.guarantees import (
    factor_in_words as factor_in_words,
    factor_up as factor_up,
)
from dprivacy.model.labelled_matrix import (
    Labelled as Labelled,
    proportional_groups as proportional_groups,
    summed_groups as summed_groups,
)
from dprivacy.model.matrices.matrix_files import (
    exact_channel as exact_channel,
    matrix_in_file as matrix_in_file,
    matrix_in_text as matrix_in_text,
    read_prior_file as read_prior_file,
    read_worth_file as read_worth_file,
)
from dprivacy.model.matrices.printed_channel import (
    longest_decimals as longest_decimals,
    must_be_a_print as must_be_a_print,
    print_of as print_of,
)
from dprivacy.model.matrices.table_texts import Cells as Cells
from dprivacy.model.mechanism_protocol import Sourced as Sourced
from dprivacy.model.notebooks.notebook_views import (
    Explained as Explained,
    Promised as Promised,
    html_table as html_table,
    html_words as html_words,
    latex_array as latex_array,
    latex_escaped as latex_escaped,
    latex_words as latex_words,
)
from dprivacy.model.noun_input import (
    channel_or_print as channel_or_print,
    labels_of as labels_of,
    space_for as space_for,
)
from dprivacy.model.plain_data import (
    CONTROL as CONTROL,
    about as about,
    plain as plain,
    shown as shown,
)
from dprivacy.model.stored_parts import (
    channel_body as channel_body,
    channel_from as channel_from,
    label_body as label_body,
    label_from as label_from,
    level_body as level_body,
    space_body as space_body,
    space_from as space_from,
)
