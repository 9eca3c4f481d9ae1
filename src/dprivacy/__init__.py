"""dprivacy: metric differential privacy — built, sampled, proved, measured and optimised.

``import dprivacy as dp`` and a tab show the whole surface; each name loads its room when it is first
used, so that importing the package costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0.dev0"

# The names of each room that are offered here; the imports below ("as" marks what is exported) say
# the same to type checkers.
_ROOMS = {
    "numbers": "Level ln",
    "spaces": (
        "FiniteSpace bags discrete from_table graph grid hamming hamming_cube induced_space line "
        "named_space points power_set product quantised sensitivity"
    ),
    "model": (
        "Channel Dist Gain Guarantee Hyper Mechanism Verdict as_channel earth_move empirical "
        "joint mixture parallel point push read_channel read_space uniform"
    ),
    "verify": (
        "audit ball_change checks_needed command_sampler concentrated_privacy delta_at "
        "distinguishability eps_at error_floor exactly expected_error extended_privacy "
        "hamming_error_bounds mended odds_change privacy privacy_loss privacy_profile "
        "probabilistic_privacy smallest_eps sufficient_partition sufficient_set"
    ),
    "mechanisms": (
        "any_metric bitwise_response exponential geometric integer_geometric laplace load "
        "oblivious over_rows over_truncated pixelated_laplace planar_laplace randomised_response "
        "save sequential vector_laplace"
    ),
    "estimation": (
        "count_error estimate estimate_mean estimate_table kantorovich log_likelihood regress "
        "smallest_eps_for total_variation"
    ),
    "release": (
        "Ledger PermanentAnswers Plan ProtectColumns Release ReleaseCard SparkRelease forecast "
        "joint_guarantee propose query sanitise sanitise_file sanitise_spark sanitise_spark_file "
        "sanitise_with_card"
    ),
    "flow": (
        "additive_capacity capacity count_scenario d_capacity d_vulnerability gain "
        "guessing_entropy inference leakage leakage_bound loss mutual_information "
        "posterior_uncertainty posterior_vulnerability scenario shannon_capacity shannon_entropy "
        "strategy uncertainty vulnerability"
    ),
    "refine": (
        "join_max join_private meet_max meet_private order refines refines_for refines_max "
        "refines_private"
    ),
    "polytope": (
        "count_extreme_points count_kernels decompose extreme_points is_extreme is_kernel kernels "
        "loose_entries vertices"
    ),
    "design": (
        "as_kernels best_kernel best_on_pair expected_loss geometric_paths "
        "laplace_against_geometric laplace_on_interval minimax optimal refined_by_laplace remap "
        "universally_optimal universally_optimal_for worst_case_loss"
    ),
    "curves": "linkage principal_basis protect_curves",
    "geo": "as_region averaging_attack city displacement optimal_places place_mechanism protect",
    "hashing": (
        "bare_hash bit_sampling laplsh lshrr match minhash pair_privacy random_projection "
        "set_reports stable_projection utility_loss utility_loss_experiment"
    ),
    "text": (
        "Embedding author_topic_experiment bag_channel chance_within document_leakage "
        "eps_for_radius identify_authors noisy_bag obfuscate read_embedding small_embedding "
        "text_mechanism word_mechanism word_movers_distance"
    ),
}
_HOME = {name: f"dprivacy.{room}" for room, names in _ROOMS.items() for name in names.split()}

__all__ = list(_HOME)

if TYPE_CHECKING:
    from dprivacy.curves import (
        linkage as linkage,
        principal_basis as principal_basis,
        protect_curves as protect_curves,
    )
    from dprivacy.design import (
        as_kernels as as_kernels,
        best_kernel as best_kernel,
        best_on_pair as best_on_pair,
        expected_loss as expected_loss,
        geometric_paths as geometric_paths,
        laplace_against_geometric as laplace_against_geometric,
        laplace_on_interval as laplace_on_interval,
        minimax as minimax,
        optimal as optimal,
        refined_by_laplace as refined_by_laplace,
        remap as remap,
        universally_optimal as universally_optimal,
        universally_optimal_for as universally_optimal_for,
        worst_case_loss as worst_case_loss,
    )
    from dprivacy.estimation import (
        count_error as count_error,
        estimate as estimate,
        estimate_mean as estimate_mean,
        estimate_table as estimate_table,
        kantorovich as kantorovich,
        log_likelihood as log_likelihood,
        regress as regress,
        smallest_eps_for as smallest_eps_for,
        total_variation as total_variation,
    )
    from dprivacy.flow import (
        additive_capacity as additive_capacity,
        capacity as capacity,
        count_scenario as count_scenario,
        d_capacity as d_capacity,
        d_vulnerability as d_vulnerability,
        gain as gain,
        guessing_entropy as guessing_entropy,
        inference as inference,
        leakage as leakage,
        leakage_bound as leakage_bound,
        loss as loss,
        mutual_information as mutual_information,
        posterior_uncertainty as posterior_uncertainty,
        posterior_vulnerability as posterior_vulnerability,
        scenario as scenario,
        shannon_capacity as shannon_capacity,
        shannon_entropy as shannon_entropy,
        strategy as strategy,
        uncertainty as uncertainty,
        vulnerability as vulnerability,
    )
    from dprivacy.geo import (
        as_region as as_region,
        averaging_attack as averaging_attack,
        city as city,
        displacement as displacement,
        optimal_places as optimal_places,
        place_mechanism as place_mechanism,
        protect as protect,
    )
    from dprivacy.hashing import (
        bare_hash as bare_hash,
        bit_sampling as bit_sampling,
        laplsh as laplsh,
        lshrr as lshrr,
        match as match,
        minhash as minhash,
        pair_privacy as pair_privacy,
        random_projection as random_projection,
        set_reports as set_reports,
        stable_projection as stable_projection,
        utility_loss as utility_loss,
        utility_loss_experiment as utility_loss_experiment,
    )
    from dprivacy.mechanisms import (
        any_metric as any_metric,
        bitwise_response as bitwise_response,
        exponential as exponential,
        geometric as geometric,
        integer_geometric as integer_geometric,
        laplace as laplace,
        load as load,
        oblivious as oblivious,
        over_rows as over_rows,
        over_truncated as over_truncated,
        pixelated_laplace as pixelated_laplace,
        planar_laplace as planar_laplace,
        randomised_response as randomised_response,
        save as save,
        sequential as sequential,
        vector_laplace as vector_laplace,
    )
    from dprivacy.model import (
        Channel as Channel,
        Dist as Dist,
        Gain as Gain,
        Guarantee as Guarantee,
        Hyper as Hyper,
        Mechanism as Mechanism,
        Verdict as Verdict,
        as_channel as as_channel,
        earth_move as earth_move,
        empirical as empirical,
        joint as joint,
        mixture as mixture,
        parallel as parallel,
        point as point,
        push as push,
        read_channel as read_channel,
        read_space as read_space,
        uniform as uniform,
    )
    from dprivacy.numbers import Level as Level, ln as ln
    from dprivacy.polytope import (
        count_extreme_points as count_extreme_points,
        count_kernels as count_kernels,
        decompose as decompose,
        extreme_points as extreme_points,
        is_extreme as is_extreme,
        is_kernel as is_kernel,
        kernels as kernels,
        loose_entries as loose_entries,
        vertices as vertices,
    )
    from dprivacy.refine import (
        join_max as join_max,
        join_private as join_private,
        meet_max as meet_max,
        meet_private as meet_private,
        order as order,
        refines as refines,
        refines_for as refines_for,
        refines_max as refines_max,
        refines_private as refines_private,
    )
    from dprivacy.release import (
        Ledger as Ledger,
        PermanentAnswers as PermanentAnswers,
        Plan as Plan,
        ProtectColumns as ProtectColumns,
        Release as Release,
        ReleaseCard as ReleaseCard,
        SparkRelease as SparkRelease,
        forecast as forecast,
        joint_guarantee as joint_guarantee,
        propose as propose,
        query as query,
        sanitise as sanitise,
        sanitise_file as sanitise_file,
        sanitise_spark as sanitise_spark,
        sanitise_spark_file as sanitise_spark_file,
        sanitise_with_card as sanitise_with_card,
    )
    from dprivacy.spaces import (
        FiniteSpace as FiniteSpace,
        bags as bags,
        discrete as discrete,
        from_table as from_table,
        graph as graph,
        grid as grid,
        hamming as hamming,
        hamming_cube as hamming_cube,
        induced_space as induced_space,
        line as line,
        named_space as named_space,
        points as points,
        power_set as power_set,
        product as product,
        quantised as quantised,
        sensitivity as sensitivity,
    )
    from dprivacy.text import (
        Embedding as Embedding,
        author_topic_experiment as author_topic_experiment,
        bag_channel as bag_channel,
        chance_within as chance_within,
        document_leakage as document_leakage,
        eps_for_radius as eps_for_radius,
        identify_authors as identify_authors,
        noisy_bag as noisy_bag,
        obfuscate as obfuscate,
        read_embedding as read_embedding,
        small_embedding as small_embedding,
        text_mechanism as text_mechanism,
        word_mechanism as word_mechanism,
        word_movers_distance as word_movers_distance,
    )
    from dprivacy.verify import (
        audit as audit,
        ball_change as ball_change,
        checks_needed as checks_needed,
        command_sampler as command_sampler,
        concentrated_privacy as concentrated_privacy,
        delta_at as delta_at,
        distinguishability as distinguishability,
        eps_at as eps_at,
        error_floor as error_floor,
        exactly as exactly,
        expected_error as expected_error,
        extended_privacy as extended_privacy,
        hamming_error_bounds as hamming_error_bounds,
        mended as mended,
        odds_change as odds_change,
        privacy as privacy,
        privacy_loss as privacy_loss,
        privacy_profile as privacy_profile,
        probabilistic_privacy as probabilistic_privacy,
        smallest_eps as smallest_eps,
        sufficient_partition as sufficient_partition,
        sufficient_set as sufficient_set,
    )


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(import_module(_HOME[name]), name)
        globals()[name] = value
        return value
    if name in ("errors", "sampling", "sources", *_ROOMS):
        return import_module(f"dprivacy.{name}")
    raise AttributeError(f"module 'dprivacy' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__", "errors"])
