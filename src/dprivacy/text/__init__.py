"""Text: obfuscated documents, and the attacks that show what is left in them."""

from dprivacy.text.attack_table import AuthorTopicTable, Row
from dprivacy.text.authors import (
    Attribution,
    AuthorProfiles,
    author_profiles,
    identify_authors,
    ngrams,
)
from dprivacy.text.bags import bag_channel, noisy_bag
from dprivacy.text.bounds import LeakageBound, document_leakage
from dprivacy.text.documents import Obfuscated, TextMechanism, obfuscate, text_mechanism
from dprivacy.text.embedding import Embedding
from dprivacy.text.experiment import Document, author_topic_experiment
from dprivacy.text.loaders import read_embedding
from dprivacy.text.making import embedding_from_groups
from dprivacy.text.metric import WordBags, WordSequences, WordSpace, word_movers_distance
from dprivacy.text.neighbours import nearest_authors, nearest_topics
from dprivacy.text.policy import Policy
from dprivacy.text.small import small_embedding
from dprivacy.text.tokens import decode_document, pieces_of, read_document, stop_words, words_of
from dprivacy.text.topics import TopicModel, train_topics
from dprivacy.text.utility import chance_within, eps_for_radius, radius_within
from dprivacy.text.words import ExponentialWords, LaplaceWords, word_mechanism

__all__ = [
    "Attribution",
    "AuthorProfiles",
    "AuthorTopicTable",
    "Document",
    "Embedding",
    "ExponentialWords",
    "LaplaceWords",
    "LeakageBound",
    "Obfuscated",
    "Policy",
    "Row",
    "TextMechanism",
    "TopicModel",
    "WordBags",
    "WordSequences",
    "WordSpace",
    "author_profiles",
    "author_topic_experiment",
    "bag_channel",
    "chance_within",
    "decode_document",
    "document_leakage",
    "embedding_from_groups",
    "eps_for_radius",
    "identify_authors",
    "nearest_authors",
    "nearest_topics",
    "ngrams",
    "noisy_bag",
    "obfuscate",
    "pieces_of",
    "radius_within",
    "read_document",
    "read_embedding",
    "small_embedding",
    "stop_words",
    "text_mechanism",
    "train_topics",
    "word_mechanism",
    "word_movers_distance",
    "words_of",
]
