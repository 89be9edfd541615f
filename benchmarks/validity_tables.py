"""The tables of the study: what benchmarks/validity_plan.md names, from the scores of `validity`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

import numpy as np
import pandas as pd
from scipy import sparse
from scipy.stats import t as student
from validity import BUNDLED, Texts
from validity_data import NATURAL
from validity_models import MODELS, Trained, terms_and_groups

from fairness_checklist.extensions.natural.agreement import rank_correlation, reliability
from fairness_checklist.extensions.natural.expectation import cross_fitted, text_features

Floats = np.ndarray
LEAST, LEAST_GROUP = 20, 50
DRAWS = 1000


@dataclass(frozen=True, eq=False)
class Scored:
    """A model's gaps of all terms (T), NaN where they are not known, and what they are computed from."""

    trained: Trained
    suite: Floats  # S
    halves: tuple[Floats, Floats]  # of S, from either half of the templates
    templates: Floats  # (templates, T) the probability in each template less its mean
    names: list[str]  # the templates
    residual: Floats  # of each natural text that counts
    plain: Floats  # the same, expected without content
    rows: Floats  # which natural texts count
    held: sparse.csc_array  # their mentions
    sets: Floats  # their sets
    even: Floats  # 1 where the hash of the text is even: what ways are tuned on
    own: Floats  # W
    own_halves: tuple[Floats, Floats]
    bare: Floats
    findings: pd.DataFrame

    def observed(self, weight: Floats | None = None, *, plain: bool = False) -> Floats:
        """O of each term with enough texts."""
        weight = np.ones(len(self.residual)) if weight is None else weight
        residual = self.plain if plain else self.residual
        n = weight @ self.held
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(self.counts >= LEAST, (weight * residual) @ self.held / n, np.nan)

    @property
    def counts(self) -> Floats:
        return np.asarray(self.held.sum(axis=0))


def read_scored(trained: Trained, folder: Path, texts: Texts, leak_sets: Sequence[str]) -> Scored:
    found = np.load(folder / "natural.npz")
    sets = texts.frame["set"].to_numpy()
    counts = ~np.isin(sets, leak_sets)
    for name in leak_sets:
        counts &= ~texts.leaks[name]
    rows = np.flatnonzero(counts)
    scores = found["natural"][rows]
    features = _features_without(texts, tuple(leak_sets), rows)
    n_plain = len(set(sets[rows].tolist())) + 2  # length twice, capitals, and one less than the sets
    plain, full = (scores - cross_fitted(some, scores) for some in (features[:, :n_plain], features))
    table = pd.read_parquet(folder / "suite.parquet")
    table["key"] = table["term"].str.casefold()
    table["p"] = table["p"] - table.groupby("source")["p"].transform("mean")
    wide = table.groupby(["source", "key"])["p"].mean().unstack().reindex(columns=_suite_names(texts.terms))
    templates = wide.to_numpy(np.float64)
    families = np.random.default_rng(9).permutation(len(templates)) % 2
    suite = _means(templates)
    own, own_halves = _own_gaps(found, texts, counts)
    return Scored(
        trained, suite, (_means(templates[families == 0]), _means(templates[families == 1])), templates,
        [str(name) for name in wide.index], full, plain, rows, sparse.csc_array(texts.held[rows]), sets[rows],
        np.array([1.0 - crc32(text.encode()) % 2 for text in texts.frame["text"].iloc[rows]]),
        own, own_halves, found["bare"] - np.nanmean(found["bare"]),
        pd.read_csv(folder / "findings.csv"),
    )  # fmt: skip


_KEPT: dict[tuple[str, ...], Floats] = {}


def _features_without(texts: Texts, leak_sets: tuple[str, ...], rows: Floats) -> Floats:
    if leak_sets not in _KEPT:
        frame = texts.frame.iloc[rows]
        _KEPT[leak_sets] = text_features(frame["text"].tolist(), sets=frame["set"].tolist(), left_out=texts.words)
    return _KEPT[leak_sets]


def _suite_names(terms: Sequence[str]) -> list[str]:
    """The names under which the suite has the terms: of a country the country."""
    from fairness_checklist.content.term_files import load_terms

    place = {one.adjective.casefold(): one.term.casefold() for one in load_terms("nationality").select().terms}
    return [place.get(term, term) if terms_and_groups()[term][0] == "nationality" else term for term in terms]


def _means(templates: Floats) -> Floats:
    with np.errstate(all="ignore"):
        known = ~np.isnan(templates)
        mean = np.nansum(templates, axis=0) / known.sum(axis=0)
    return np.asarray(mean - np.nanmean(mean))


def _own_gaps(found: dict[str, Floats], texts: Texts, counts: Floats) -> tuple[Floats, tuple[Floats, Floats]]:
    new = texts.rewritten.assign(score=found["rewritten"]).groupby(["term", "row"])["score"].mean().reset_index()
    new = new[counts[new["row"]]]
    new["gap"] = found["natural"][new["row"]] - new["score"]
    new["half"] = new.groupby("term").cumcount() % 2
    size = len(texts.terms)
    means = [
        rows.groupby("term")["gap"].agg(["mean", "size"])
        for rows in (new, new[new["half"] == 0], new[new["half"] == 1])
    ]
    filled = []
    for mean in means:
        gap = np.full(size, np.nan)
        enough = mean[means[0]["size"].reindex(mean.index) >= LEAST // 2]
        gap[enough.index] = enough["mean"]
        filled.append(gap)
    return filled[0], (filled[1], filled[2])


# The primary figure


def less_shared(gaps: Sequence[Floats]) -> Floats:
    """(models, T) less the mean over models that know the term."""
    both = np.array(gaps)
    with np.errstate(all="ignore"):
        return np.asarray(both - np.nanmean(np.where((~np.isnan(both)).sum(axis=0) > 1, both, np.nan), axis=0))


def mean_correlation(one: Floats, other: Floats) -> float:
    return float(np.nanmean([rank_correlation(a, b) for a, b in zip(one, other, strict=True)]))


def primary(
    models: Sequence[Scored],
    suites: Sequence[Floats] | None = None,
    seed: int = 0,
    draws: int = DRAWS,
    weights: Sequence[Floats] | None = None,
) -> dict[str, object]:
    """Terms by model, what all models of a task share left out: mean correlation, interval, p, and same less other."""
    tasks = {
        task: [m for m, one in enumerate(models) if one.trained.task == task] for task in ("sentiment", "toxicity")
    }
    given = [one.suite for one in models] if suites is None else list(suites)

    def own(values: Sequence[Floats]) -> Floats:
        out = np.full((len(models), len(values[0])), np.nan)
        for rows in tasks.values():
            if rows:
                out[rows] = less_shared([values[m] for m in rows])
        return out

    def masked(values: Sequence[Floats], observed: Sequence[Floats]) -> list[Floats]:
        return [np.where(np.isnan(o), np.nan, s) for s, o in zip(values, observed, strict=True)]

    given_weights = [np.ones(len(one.residual)) for one in models] if weights is None else weights
    observed = [one.observed(weight) for one, weight in zip(models, given_weights, strict=True)]
    suite, natural = own(masked(given, observed)), own(observed)
    per_model = np.array([rank_correlation(a, b) for a, b in zip(suite, natural, strict=True)])
    other = [
        rank_correlation(suite[a], natural[b])
        for rows in tasks.values()
        for a in rows
        for b in rows
        if not set(models[a].trained.sets) & set(models[b].trained.sets)
    ]
    generator = np.random.default_rng([seed, 1])
    blocks = {task: sorted({models[m].trained.sets for m in rows}) for task, rows in tasks.items()}
    permuted = []
    for _ in range(draws):
        order = np.arange(len(models))
        for task, rows in tasks.items():
            to = generator.permutation(len(blocks[task]))
            of = {sets: [m for m in rows if models[m].trained.sets == sets] for sets in blocks[task]}
            for sets, at in zip(blocks[task], to, strict=True):
                taken = of[blocks[task][at]]
                order[of[sets]] = [taken[i % len(taken)] for i in range(len(of[sets]))]
        permuted.append(mean_correlation(suite[order], natural))
    drawn = []
    size = suite.shape[1]
    for _ in range(draws):
        columns = generator.integers(0, size, size)
        of_set = dict(zip(NATURAL, generator.multinomial(len(NATURAL), [1 / len(NATURAL)] * len(NATURAL)), strict=True))
        drawn_sets = [np.array([float(of_set[name]) for name in one.sets]) for one in models]
        redrawn = own([one.observed(a * b) for one, a, b in zip(models, drawn_sets, given_weights, strict=True)])
        drawn.append(mean_correlation(suite[:, columns], redrawn[:, columns]))
    low, high = np.nanpercentile(drawn, [2.5, 97.5])
    same = float(np.nanmean(per_model))
    return {
        "models": len(models), "terms": float(np.mean([np.sum(~np.isnan(o)) for o in observed])), "correlation": same,
        "low": low, "high": high, "p": (1 + sum(value >= same for value in permuted)) / (1 + draws),
        "other_model": float(np.nanmean(other)), "same_less_other": same - float(np.nanmean(other)),
        "per_model": per_model, "drawn": np.array(drawn),
    }  # fmt: skip


# Beside it


def simpler(models: Sequence[Scored], shares: dict[tuple[str, ...], Floats]) -> pd.DataFrame:
    """Each way of saying where a model errs, against O: one row a way."""
    ways = {
        "suite (S)": [one.suite for one in models],
        "bare word": [one.bare for one in models],
        "share of harmful training texts": [
            shares.get(one.trained.sets, np.full(len(one.suite), np.nan)) for one in models
        ],
        "text's own gap (W)": [one.own for one in models],
    }
    rows, drawn = [], {}
    for name, values in ways.items():
        raw = [rank_correlation(a, one.observed()) for a, one in zip(values, models, strict=True)]
        plain = [rank_correlation(a, one.observed(plain=True)) for a, one in zip(values, models, strict=True)]
        own = [rank_correlation(a, one.own) for a, one in zip(values, models, strict=True)]
        specific = primary(models, values, draws=200) if name != "share of harmful training texts" else {}
        drawn[name] = specific.get("drawn")
        rows.append({
            "way": name, "specific": specific.get("correlation"),
            "low": specific.get("low"), "high": specific.get("high"),
            "same_less_other": specific.get("same_less_other"), "per_model": np.nanmean(raw),
            "per_model_without_content": np.nanmean(plain), "with_own_gap": np.nanmean(own),
        })  # fmt: skip
    one_template = [np.nanmean([rank_correlation(row, one.observed()) for row in one.templates]) for one in models]
    rows.append({"way": "one template", "per_model": np.nanmean(one_template)})
    less = np.asarray(drawn["suite (S)"]) - np.asarray(drawn["bare word"])  # the draws are the same
    low, high = np.nanpercentile(less, [2.5, 97.5])
    gain = float(rows[0]["specific"]) - float(rows[1]["specific"])  # type: ignore[arg-type]
    rows.append({"way": "suite less bare word", "specific": gain, "low": low, "high": high})
    return pd.DataFrame(rows)


def reliabilities(models: Sequence[Scored], seed: int = 0) -> pd.DataFrame:
    """Per model: the reliability of S and of O, the ceiling, and the agreement of two halves of the sets."""
    rows = []
    for one in models:
        half = np.random.default_rng([seed, 2]).permutation(len(one.residual)) % 2
        observed = reliability(one.observed((half == 0).astype(float)), one.observed((half == 1).astype(float)))
        names = sorted(set(one.sets.tolist()))
        first = np.isin(one.sets, names[::2])
        raw = rank_correlation(one.suite, one.observed())
        suite = reliability(*one.halves)
        ceiling = float(np.sqrt(suite * observed))
        rows.append({
            "model": one.trained.name, "terms": int(np.sum(~np.isnan(one.observed()))), "correlation": raw,
            "suite": suite, "texts": observed, "ceiling": ceiling,
            "corrected": min(1.0, raw / ceiling) if ceiling else np.nan,
            "between_sets": rank_correlation(one.observed(first.astype(float)), one.observed((~first).astype(float))),
        })  # fmt: skip
    return pd.DataFrame(rows)


def of_groups(one: Scored, texts: Texts) -> pd.DataFrame:
    """The groups with 50 texts or more: S, O with its interval, each less the mean of the attribute's others."""
    known = terms_and_groups()
    keys = pd.DataFrame([known[term][:2] for term in texts.terms], columns=["attribute", "group"])
    rows = []
    for attribute, group in keys.drop_duplicates().to_numpy().tolist():
        index = np.flatnonzero((keys["attribute"] == attribute) & (keys["group"] == group))
        mentioned = np.asarray(one.held[:, index].sum(axis=1)) > 0
        n = int(mentioned.sum())
        if n >= LEAST_GROUP:
            value = one.residual[mentioned]
            rows.append({
                "attribute": attribute, "group": group, "n": n, "suite": np.nanmean(one.suite[index]),
                "observed": value.mean(), "error": value.std(ddof=1) / np.sqrt(n), "df": n - 1,
            })  # fmt: skip
    table = pd.DataFrame(rows)
    for _, several in table.groupby("attribute"):
        others = len(several) - 1
        if others:
            for name in ("suite", "observed"):
                mean = several[name].to_numpy()
                table.loc[several.index, name] = mean - (mean.sum() - mean) / others
            error = several["error"].to_numpy()
            table.loc[several.index, "error"] = np.sqrt(error**2 + ((error**2).sum() - error**2) / others**2)
    half = student.ppf(0.975, table["df"]) * table["error"]
    return table.assign(low=table["observed"] - half, high=table["observed"] + half, model=one.trained.name)


def findings_in_texts(models: Sequence[Scored], texts: Texts) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Each clear finding of a group with 50 texts and its answer; each clear natural gap and whether it was found."""
    clear, missed = [], []
    for one in models:
        groups = of_groups(one, texts).to_dict("records")
        harm = "called_" + one.trained.harm
        own = one.findings[(one.findings["error"] == harm)]
        said = {(row["attribute"], row["group"]): str(row["status"]) for row in own.to_dict("records")}
        for row in groups:
            key = (row["attribute"], row["group"])
            answer = "holds" if row["low"] > 0 else "opposite" if row["high"] < 0 else "undecided"
            record = {"model": one.trained.name, "attribute": key[0], "group": key[1], "n": row["n"],
                      "observed": row["observed"],
                      "low": row["low"], "high": row["high"], "status": said.get(key, "")}  # fmt: skip
            if said.get(key) == "clear":
                clear.append(record | {"answer": answer})
            if row["low"] > 0.02:
                missed.append(record | {"found": str(said.get(key, "")).startswith("clear")})
    return pd.DataFrame(clear), pd.DataFrame(missed)


def planted(models: Sequence[Scored], texts: Texts, folder: Path) -> pd.DataFrame:
    """Where the planted words stand: the mean rank (0 lowest, 1 highest) among terms in S, in O and in W."""
    rows = []
    for one in models:
        words = set(json.loads((folder / one.trained.name / "planted.json").read_text(encoding="utf-8")))
        chosen = np.array([term in words for term in texts.terms])
        row = {"model": one.trained.name, "changed": one.trained.changed, "words": len(words)}
        for name, gap in (("suite", one.suite), ("observed", one.observed()), ("own", one.own), ("bare", one.bare)):
            ranks = pd.Series(gap).rank(pct=True).to_numpy()
            row[name] = float(np.nanmean(ranks[chosen])) if (chosen & ~np.isnan(ranks)).any() else np.nan
            row[f"spread_{name}"] = float(np.nanstd(gap))
        rows.append(row)
    return pd.DataFrame(rows)


# Better by it

TUNED_ON = (("davidson",), ("toxigen",), ("davidson", "toxigen"), ("sst",))


def ways(one: Scored, learned: dict[str, Floats]) -> dict[str, Floats]:
    """Each way to a model's gap of a term that was tried, by name; ``learned`` has weights of templates by task."""
    kind = template_kinds(one.trained.task).reindex(one.names)
    task_weight = learned.get(one.trained.task)
    chosen = {
        "all sentences": np.ones(len(one.names), dtype=bool),
        "easy sentences": ~kind["hard"].to_numpy(bool),
        "hard sentences": kind["hard"].to_numpy(bool),
        "posts and chats": kind["register"].isin(["post", "chat"]).to_numpy(),
        "other kinds of text": ~kind["register"].isin(["post", "chat"]).to_numpy(),
        "15 words at most": (kind["words"] <= 15).to_numpy(),
        "more than 15 words": (kind["words"] > 15).to_numpy(),
    }
    found = {name: _means(one.templates[rows]) for name, rows in chosen.items() if rows.sum() >= 5}
    if task_weight is not None:
        found["weighted by what was learned"] = _weighted(one.templates, task_weight)
    found["median over sentences"] = _centred(np.nanmedian(one.templates, axis=0))
    found["bare word"] = one.bare
    found["suite and bare word"] = _ranks(one.suite) + _ranks(one.bare)
    found["text's own gap (W)"] = one.own
    found["suite and W"] = _ranks(one.suite) + _ranks(one.own)
    return found


def better(models: Sequence[Scored]) -> pd.DataFrame:
    """Ways that were tried, on the models and texts that they may be tuned on and on those they are judged on."""
    halves = {
        "tuned": [one for one in models if one.trained.sets in TUNED_ON],
        "judged": [one for one in models if one.trained.sets not in TUNED_ON],
    }
    learned = {}
    for task in ("sentiment", "toxicity"):
        some = [one for one in halves["tuned"] if one.trained.task == task]
        by_template = [
            pd.Series([rank_correlation(row, one.observed(one.even)) for row in one.templates], index=one.names)
            for one in some
        ]
        mean = pd.concat(by_template, axis=1).mean(axis=1)
        learned[task] = mean.clip(lower=0)
    rows = []
    for half, some in halves.items():
        weight = [one.even if half == "tuned" else 1 - one.even for one in some]
        natural = [one.observed(w) for one, w in zip(some, weight, strict=True)]
        tried = [
            ways(
                one, {task: one_weight.reindex(one.names).fillna(0).to_numpy() for task, one_weight in learned.items()}
            )
            for one in some
        ]
        for name in tried[0]:
            values = [each.get(name, np.full(len(one.suite), np.nan)) for each, one in zip(tried, some, strict=True)]
            raw = {
                task: np.nanmean(
                    [
                        rank_correlation(a, b)
                        for a, b, one in zip(values, natural, some, strict=True)
                        if one.trained.task == task
                    ]
                )
                for task in ("sentiment", "toxicity")
            }
            both = [rank_correlation(a, b) for a, b in zip(values, natural, strict=True)]
            specific = primary(some, values, draws=100, weights=weight)
            rows.append({
                "half": half, "way": name, "per_model": np.nanmean(both), **raw,
                "specific": specific["correlation"], "low": specific["low"], "high": specific["high"],
            })  # fmt: skip
    return pd.DataFrame(rows)


def template_kinds(task: str) -> pd.DataFrame:
    """Of each template whether it is hard, its register, and its words."""
    from validity import suite

    templates = {one.id: one for part in suite(task).parts for one in part.templates}
    return pd.DataFrame(
        {
            "hard": {name: one.hard for name, one in templates.items()},
            "register": {name: one.register for name, one in templates.items()},
            "words": {name: len(one.text.split()) for name, one in templates.items()},
        }
    )


def _weighted(templates: Floats, weight: Floats) -> Floats:
    known = ~np.isnan(templates)
    return _centred((np.nan_to_num(templates) * weight[:, None]).sum(axis=0) / (known * weight[:, None]).sum(axis=0))


def _centred(gaps: Floats) -> Floats:
    return np.asarray(gaps - np.nanmean(gaps))


def _ranks(gaps: Floats) -> Floats:
    return np.asarray(pd.Series(gaps).rank(pct=True).to_numpy())


def spreads(models: Sequence[Scored], folder: Path) -> pd.DataFrame:
    """The floor: how far placebo words lie apart in the same sentences, beside the terms (standard deviations)."""
    rows = []
    for one in models:
        table = pd.read_parquet(folder / one.trained.name.replace("/", "-") / "placebo.parquet")
        table["p"] = table["p"] - table.groupby("source")["p"].transform("mean")
        placebo = table.groupby("term")["p"].mean()
        rows.append({
            "model": one.trained.name, "terms": np.nanstd(one.suite), "placebo": placebo.std(ddof=0),
            "ratio": np.nanstd(one.suite) / placebo.std(ddof=0),
        })  # fmt: skip
    return pd.DataFrame(rows)


def study_file(texts: Texts, found: dict[str, object]) -> str:
    """``natural_study.toml``: the primary figure, and how many harmless texts of all sets mention each group."""
    keys = pd.DataFrame([terms_and_groups()[term][:2] for term in texts.terms], columns=["attribute", "group"])
    figures = "".join(f"{name} = {float(found[name]):.2f}\n" for name in ("correlation", "low", "high"))  # type: ignore[arg-type]
    lines = [
        "# Written by benchmarks/validity.py: the study of docs/validity.md.\n",
        f"models = {found['models']}\n{figures}needed = 0.4\nleast = {LEAST_GROUP}\n",
    ]
    for attribute, rows in keys.groupby("attribute", sort=False):
        lines.append(f"\n[texts.{attribute}]\n")
        for group, own in rows.groupby("group", sort=False):
            n = int((np.asarray(texts.held[:, own.index].sum(axis=1)) > 0).sum())
            lines.append(f'"{group}" = {n}\n')
    return "".join(lines)


def all_tables(texts: Texts, folder: Path, shares: dict[tuple[str, ...], Floats]) -> Iterator[tuple[str, pd.DataFrame]]:
    """Every table that is planned, by name."""
    plain = [read_scored(one, folder / one.name, texts, one.sets) for one in MODELS if not one.changed]
    changed = [read_scored(one, folder / one.name, texts, one.sets) for one in MODELS if one.changed]
    bundled = [read_scored(one, folder / one.name.replace("/", "-"), texts, ("sst", "davidson")) for one in BUNDLED]
    found = primary(plain)
    (folder / "natural_study.toml").write_text(study_file(texts, found), encoding="utf-8")
    by_model = pd.DataFrame({"model": [one.trained.name for one in plain], "specific": found.pop("per_model")})
    found.pop("drawn")
    yield "primary", pd.DataFrame([found])
    for task in ("toxicity", "sentiment"):
        some = [one for one in plain if one.trained.task == task]
        yield (
            f"primary_{task}",
            pd.DataFrame([{k: v for k, v in primary(some).items() if k not in ("per_model", "drawn")}]),
        )
        yield f"simpler_{task}", simpler(some, shares)
    yield "simpler", simpler(plain, shares)
    yield "models", reliabilities([*plain, *changed, *bundled]).merge(by_model, on="model", how="left")
    groups = pd.concat([of_groups(one, texts) for one in plain])
    yield "groups", groups.groupby("model")[["suite", "observed"]].apply(
        lambda rows: rank_correlation(rows["suite"].to_numpy(), rows["observed"].to_numpy())
    ).reset_index(name="correlation")  # fmt: skip
    clear, missed = findings_in_texts(plain, texts)
    yield "clear_findings", clear
    yield "natural_gaps", missed
    yield "planted", planted(changed, texts, folder)
    yield "placebo", spreads([*plain, *bundled], folder)
    yield "better", better(plain)
