"""The functions that a corrected query may use, by name: what is not listed is refused.

A list of names, and not what DuckDB says of its functions: some macros hide aggregates, and some
functions that it calls consistent read its settings.
"""

_OPERATORS = "+ - * / // % ** ^ || & | << >> ~~ !~~ ~~* !~~* ~~~"
_NUMBERS = """
    abs add ceil ceiling floor round trunc sign sqrt cbrt exp ln log log2 log10 pow power mod fmod fdiv
    divide multiply subtract least greatest pi radians degrees sin cos tan asin acos atan atan2 isnan
    isfinite isinf even gcd lcm
"""
_TEXTS = """
    lower lcase upper ucase length len strlen char_length character_length trim ltrim rtrim left right
    substr substring replace concat concat_ws contains starts_with ends_with prefix suffix strpos instr
    position reverse regexp_matches regexp_full_match regexp_replace regexp_extract like_escape
    ilike_escape not_like_escape not_ilike_escape split_part ascii translate nullif list_value
"""
_DATES = """
    year month day quarter week dayofweek dayofmonth dayofyear weekday weekofyear isodow isoyear
    yearweek hour minute second decade century date_part datepart date_trunc datetrunc date_diff
    datediff date_sub datesub epoch strftime strptime make_date last_day monthname dayname to_years
    to_months to_weeks to_days to_hours to_minutes to_seconds
"""
SCALARS = frozenset(" ".join([_OPERATORS, _NUMBERS, _TEXTS, _DATES]).split())

# Of sums over rows: how many arguments each takes.
AGGREGATES = {
    "count_star": 0,
    **dict.fromkeys(["count", "count_if", "countif"], 1),
    **dict.fromkeys(["sum", "fsum", "kahan_sum", "sumkahan", "avg", "mean", "favg"], 1),
    **dict.fromkeys(["var_pop", "var_samp", "variance"], 1),
    **dict.fromkeys(["stddev_pop", "stddev_samp", "stddev"], 1),
    **dict.fromkeys(["covar_pop", "covar_samp", "corr"], 2),
    **dict.fromkeys(["regr_slope", "regr_intercept", "regr_r2", "regr_count"], 2),
    **dict.fromkeys(["regr_avgx", "regr_avgy", "regr_sxx", "regr_syy", "regr_sxy"], 2),
}

# Functions of the rows' order, values or number of different values; none is a sum over rows.
NO_SUMS = frozenset(
    [
        "median",
        "quantile",
        "quantile_cont",
        "quantile_disc",
        "approx_quantile",
        "reservoir_quantile",
        "mad",
        "mode",
        "min",
        "max",
        "min_by",
        "max_by",
        "arg_min",
        "arg_max",
        "argmin",
        "argmax",
        "arg_min_null",
        "arg_max_null",
        "first",
        "last",
        "any_value",
        "arbitrary",
        "list",
        "array_agg",
        "string_agg",
        "group_concat",
        "listagg",
        "histogram",
        "histogram_exact",
        "approx_count_distinct",
        "approx_top_k",
        "entropy",
        "kurtosis",
        "kurtosis_pop",
        "skewness",
        "product",
        "geomean",
        "geometric_mean",
        "bool_and",
        "bool_or",
        "bit_and",
        "bit_or",
        "bit_xor",
        "bitstring_agg",
        "sem",
        "wavg",
        "weighted_avg",
    ]
)
QUANTILES = frozenset(name for name in NO_SUMS if "quantile" in name) | {"median"}
