"""Releases: a protected copy of a table, and the card that says what it protects."""

from dprivacy.release.codebooks.codebook_files import read_codebook as read_codebook
from dprivacy.release.codebooks.codebook_model import (
    Codebook as Codebook,
    Value as Value,
    Variable as Variable,
)
from dprivacy.release.columns.key_files import (
    read_permanent_key as read_permanent_key,
    write_permanent_key as write_permanent_key,
)
from dprivacy.release.columns.permanent_answers import PermanentAnswers as PermanentAnswers
from dprivacy.release.columns.tagged_people import TaggedPeople as TaggedPeople
from dprivacy.release.domains.planned_column import ColumnPlan as ColumnPlan
from dprivacy.release.figures.answer_guesses import (
    AnswerFigures as AnswerFigures,
    answer_figures as answer_figures,
    guess_limit as guess_limit,
)
from dprivacy.release.figures.row_statement import (
    RowFigures as RowFigures,
    row_figures as row_figures,
)
from dprivacy.release.files.answer_files import write_answer as write_answer
from dprivacy.release.files.released_data import Released as Released
from dprivacy.release.forecasts.plan_forecast import (
    Forecast as Forecast,
    forecast as forecast,
    needed_eps as needed_eps,
    transition_summary as transition_summary,
)
from dprivacy.release.frames.arrow_streams import (
    ReleasedStream as ReleasedStream,
    sanitise_stream as sanitise_stream,
)
from dprivacy.release.frames.pipeline_step import ProtectColumns as ProtectColumns
from dprivacy.release.ledger.amounts import Amount as Amount
from dprivacy.release.ledger.charging import charged as charged, per_unit as per_unit
from dprivacy.release.ledger.ledger_book import Account as Account, Ledger as Ledger
from dprivacy.release.ledger.ledger_check import LedgerVerdict as LedgerVerdict
from dprivacy.release.ledger.ledger_report import LedgerReport as LedgerReport
from dprivacy.release.ledger.receipts import Receipt as Receipt
from dprivacy.release.migrate.float_channels import from_floats as from_floats
from dprivacy.release.migrate.imported_channel import ImportedChannel as ImportedChannel
from dprivacy.release.migrate.location_guard_levels import (
    PlaceLevel as PlaceLevel,
    location_guard as location_guard,
)
from dprivacy.release.migrate.pram_matrices import (
    pram_from_text as pram_from_text,
    read_pram as read_pram,
)
from dprivacy.release.migrate.utility_lists import (
    from_utility_list as from_utility_list,
)
from dprivacy.release.plan_keys.editor_schema import plan_schema as plan_schema
from dprivacy.release.plans.joint_promise import (
    JointGuarantee as JointGuarantee,
    joint_guarantee as joint_guarantee,
)
from dprivacy.release.plans.release_card import Card as Card
from dprivacy.release.plans.table_plan import Plan as Plan
from dprivacy.release.proposals.plan_proposal import propose as propose
from dprivacy.release.proving.card_proof import (
    CardVerdict as CardVerdict,
    prove_card as prove_card,
)
from dprivacy.release.queries.query_answer import QueryAnswer as QueryAnswer
from dprivacy.release.queries.sql_query import query as query
from dprivacy.release.receiving.attack_findings import Attack as Attack
from dprivacy.release.receiving.release_regression import regress_release as regress_release
from dprivacy.release.receiving.row_attack import attack as attack
from dprivacy.release.receiving.table_receiver import (
    ReceivedTable as ReceivedTable,
    received as received,
)
from dprivacy.release.sanitising import sanitise as sanitise, sanitise_file as sanitise_file
from dprivacy.release.sheets.board_sheet import BoardSheet as BoardSheet, report as report
from dprivacy.release.sheets.ddi_fragment import card_ddi as card_ddi
from dprivacy.release.sheets.sdmx_fragment import card_sdmx as card_sdmx
from dprivacy.release.texts.protecting_texts import protect_text as protect_text
from dprivacy.release.texts.text_files import sanitise_folder as sanitise_folder
from dprivacy.release.texts.text_preview import (
    TextPreview as TextPreview,
    preview_texts as preview_texts,
)

# isort: split
# For other rooms; not part of the surface.
from dprivacy.release.columns.demo_survey import survey as survey, write_demo as write_demo
from dprivacy.release.columns.person_identifiers import (
    person_name as person_name,
)
from dprivacy.release.columns.published_columns import (
    EVERY_ROW as EVERY_ROW,
    require_person as require_person,
)
from dprivacy.release.columns.row_facts import (
    most_rows as most_rows,
    warn_if_in_order as warn_if_in_order,
)
from dprivacy.release.columns.tagged_people import (
    read_people as read_people,
    require_key as require_key,
    tagged as tagged,
)
from dprivacy.release.domains.built_columns import BuiltColumns as BuiltColumns
from dprivacy.release.figures.plain_numbers import (
    factor_said as factor_said,
    hundredths as hundredths,
    hundredths_down as hundredths_down,
    number_said as number_said,
    times_in_hundred as times_in_hundred,
)
from dprivacy.release.files.answer_files import require_answer_ending as require_answer_ending
from dprivacy.release.files.own_files import (
    Workplace as Workplace,
    card_path as card_path,
    open_own as open_own,
)
from dprivacy.release.files.released_data import (
    write_released as write_released,
    write_table as write_table,
    write_text as write_text,
)
from dprivacy.release.files.table_files import (
    TABLE_ENDINGS as TABLE_ENDINGS,
    column_list as column_list,
    float_column as float_column,
    whole_table as whole_table,
)
from dprivacy.release.intake.decimal_commas import DECIMAL_COMMAS as DECIMAL_COMMAS
from dprivacy.release.intake.table_settings import Written as Written
from dprivacy.release.jobs.source_marks import Origin as Origin, origin_of as origin_of
from dprivacy.release.joints.joint_settings import MEMBER_KEYS as MEMBER_KEYS
from dprivacy.release.ledger.charged_metric import Charge as Charge
from dprivacy.release.ledger.charging import (
    LedgerPlace as LedgerPlace,
    ledger_place as ledger_place,
    standing as standing,
)
from dprivacy.release.ledger.receipts import (
    receipt_body as receipt_body,
    receipt_from as receipt_from,
)
from dprivacy.release.ledger.stores.postgres_store import safe_name as safe_name
from dprivacy.release.plan_keys.reference_page import plan_reference as plan_reference
from dprivacy.release.plans.column_domains import SETTINGS as SETTINGS
from dprivacy.release.plans.noise_elsewhere import card_of_noisy as card_of_noisy
from dprivacy.release.plans.release_card import (
    StatedGuarantee as StatedGuarantee,
    card_body as card_body,
    card_from as card_from,
    read_card as read_card,
)
from dprivacy.release.plans.stored_plans import parsed_toml as parsed_toml
from dprivacy.release.plans.table_plan import (
    plan_body as plan_body,
    plan_from as plan_from,
    plan_with as plan_with,
)
from dprivacy.release.plans.weak_levels import weak_words as weak_words
from dprivacy.release.proposals.codebook_plan import Draft as Draft, draft_from as draft_from
from dprivacy.release.proposals.plan_proposal import draft_of as draft_of
from dprivacy.release.receiving.own_statistics import MOST_SPREAD as MOST_SPREAD
from dprivacy.release.sheets.learned_statistics import coded as coded, learned as learned
from dprivacy.release.sheets.sheet_contents import RowBand as RowBand
from dprivacy.release.sheets.sheet_words import row_band as row_band
from dprivacy.release.texts.folder_job import folder_files as folder_files
from dprivacy.release.texts.protecting_texts import (
    charge_of as charge_of,
    released_document as released_document,
)
from dprivacy.release.texts.text_columns import names_file as names_file
from dprivacy.release.texts.text_files import folder_table as folder_table
from dprivacy.release.unordered.shuffle_terms import require_delta as require_delta
