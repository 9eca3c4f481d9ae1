"""Text: protected documents, and the attacks that show what is left in them."""

from dprivacy.text.attacks.author_attack import (
    Attribution as Attribution,
    AuthorProfiles as AuthorProfiles,
    author_profiles as author_profiles,
    ngrams as ngrams,
)
from dprivacy.text.attacks.author_topic_run import (
    Document as Document,
    author_topic_experiment as author_topic_experiment,
)
from dprivacy.text.attacks.author_topic_table import (
    AuthorTopicTable as AuthorTopicTable,
    Row as Row,
)
from dprivacy.text.attacks.nearest_texts import (
    Neighbours as Neighbours,
    neighbours_of as neighbours_of,
)
from dprivacy.text.attacks.reading_back import (
    Reconstruction as Reconstruction,
    reconstruct as reconstruct,
)
from dprivacy.text.attacks.telling_names import (
    NameMembership as NameMembership,
    name_membership as name_membership,
)
from dprivacy.text.attacks.three_forms import (
    FormRow as FormRow,
    FormTable as FormTable,
    compare_forms as compare_forms,
)
from dprivacy.text.attacks.topic_model import TopicModel as TopicModel, train_topics as train_topics
from dprivacy.text.documents.document_bounds import (
    LeakageBound as LeakageBound,
    document_leakage as document_leakage,
)
from dprivacy.text.documents.document_mechanism import (
    TextMechanism as TextMechanism,
    text_mechanism as text_mechanism,
)
from dprivacy.text.documents.kept_words import kept_share as kept_share
from dprivacy.text.documents.noise_radius import (
    chance_within as chance_within,
    eps_for_radius as eps_for_radius,
    radius_within as radius_within,
)
from dprivacy.text.documents.noisy_bags import bag_channel as bag_channel, noisy_bag as noisy_bag
from dprivacy.text.documents.piece_policy import Policy as Policy
from dprivacy.text.documents.released_text import ProtectedText as ProtectedText
from dprivacy.text.documents.text_pieces import (
    decode_document as decode_document,
    pieces_of as pieces_of,
    read_document as read_document,
    stop_words as stop_words,
    words_of as words_of,
)
from dprivacy.text.documents.texts_in_cells import TextCells as TextCells, text_cells as text_cells
from dprivacy.text.documents.topic_labels import (
    TopicMechanism as TopicMechanism,
    TopicReader as TopicReader,
    seed_topics as seed_topics,
    topic_mechanism as topic_mechanism,
    weighed_topics as weighed_topics,
)
from dprivacy.text.documents.word_noise import (
    ExponentialWords as ExponentialWords,
    LaplaceWords as LaplaceWords,
    word_mechanism as word_mechanism,
)
from dprivacy.text.embeddings.made_embeddings import (
    embedding_from_groups as embedding_from_groups,
    small_embedding as small_embedding,
)
from dprivacy.text.embeddings.padded_texts import PaddedTexts as PaddedTexts
from dprivacy.text.embeddings.vector_files import read_embedding as read_embedding
from dprivacy.text.embeddings.word_distances import (
    WordBags as WordBags,
    WordSequences as WordSequences,
    WordSpace as WordSpace,
    word_movers_distance as word_movers_distance,
)
from dprivacy.text.embeddings.word_vectors import Embedding as Embedding
from dprivacy.text.finding.personal_data import Found as Found, find_personal as find_personal
from dprivacy.text.finding.word_lists import (
    NameLists as NameLists,
    name_lists as name_lists,
    read_names as read_names,
)

# isort: split
# For other rooms; not part of the surface.
from dprivacy.text.documents.kept_words import (
    MOST as MOST,
    readable_words as readable_words,
    unknown_words as unknown_words,
)
from dprivacy.text.documents.piece_policy import (
    Layout as Layout,
    StopWords as StopWords,
    Unknown as Unknown,
)
from dprivacy.text.documents.text_pieces import (
    require_text as require_text,
    seen_text as seen_text,
)
from dprivacy.text.documents.texts_in_cells import (
    LONGEST as LONGEST,
    vocabulary_hash as vocabulary_hash,
)
from dprivacy.text.documents.topic_labels import read_topics as read_topics
from dprivacy.text.documents.word_noise import Noise as Noise, word_floor as word_floor
from dprivacy.text.embeddings.kind_words import without_names as without_names
from dprivacy.text.embeddings.padded_texts import times as times
from dprivacy.text.finding.personal_data import KINDS as KINDS, read_kinds as read_kinds
