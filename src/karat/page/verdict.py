"""The words at the top of a report: which model is better, how significantly, and findings."""

from __future__ import annotations

import math
import re
from collections import Counter
from html import escape

from karat.comparisons.comparison_text import standing
from karat.comparisons.difference import ASPECTS, CALLED, NAMED, Difference
from karat.comparisons.judgement import UNDEFINED
from karat.comparisons.model_comparison import Comparison
from karat.core.comparison import MODELS, comparisons
from karat.core.finding import Finding
from karat.core.measure import Measure
from karat.core.references import references
from karat.core.statistic import Needs
from karat.core.words import PValue, counted, difference_words, interval, listed, number, p_value, percent, short
from karat.evaluation import Evaluation
from karat.page.content import PRICED, TOO_LONG, Content
from karat.page.marks import in_cell
from karat.page.recommendation import Course, Recommendation, Saving, TieBreak, compared
from karat.statistics import Counts

SHORT = 30
"""Letters of a name in the advice."""
MOST_NAMED = 4
"""Models that are named, or counted, in a title or beside a finding."""
HEADING = 48
"""Letters of a title that names three models."""
PEOPLE = {"wilson": "Wilson", "delong": "DeLong", "bca": "BCa"}
"""Methods that are called after people, or by initials."""
MOST_ALIKE = 3
"""Models without a significant difference that the advice names."""


def title_of(content: Content) -> str:
    """What the page is called."""
    names = [short(name) for name in content.names]
    if content.title:
        return content.title
    if len(names) == 1:
        return f"Evaluation of {names[0]}"
    if len(names) > MOST_NAMED:
        return f"Comparison of {len(names)} models"
    together = f"{', '.join(names[:-1])} and {names[-1]}"
    if len(names) == 2 or (len(names) == 3 and len(together) <= HEADING):
        return together
    return f"{', '.join(names[:2])} and {len(names) - 2} more"


def named(name: str, most: int = 60) -> str:
    """A name in HTML: its direction of writing is its own."""
    return f'<bdi class="name" title="{escape(name)}">{escape(short(name, most))}</bdi>'


def subject(content: Content) -> str:
    """What the numbers are about."""

    def class_name(label: object) -> str:
        return f"<bdi>{escape(short(str(label), 30))}</bdi>"

    if len(content.models) == 1:
        return content.first.subject(class_name)
    counts = [f"{named(name)} {e.rejected:,}" for name, e in content.models.items() if e.rejected]
    rejected = f" (rejected by {', '.join(counts)})" if counts else ""
    return f"{len(content.models)} models on {content.first.subject(class_name, rejected)}"


def advice(content: Content) -> str:
    """Which model to use, at which threshold, and how sure that is: one sentence, and what it assumes."""
    r = content.recommendation
    if r is None:
        return '<p class="lead">No model is recommended: neither class predictions nor thresholds are available.</p>'
    return f'<p class="lead">{_lead(content, r)}</p><p class="quiet">{" ".join(_assumed(content, r))}</p>'


def _lead(content: Content, r: Recommendation) -> str:
    best, always = r.best, f"always predicting {_class(r.constant[0])}"
    cost = f"expected cost {number(best.cost)} per case"
    if r.useless:
        return f"<strong>Use no model</strong>: {always} costs {number(r.constant[1])} per case; no model costs less."
    if len(content.models) == 1:
        rule = _rule(content, best) or "use the predictions as given"
        saved = _percent(1 - best.cost / r.constant[1])
        return f"<strong>{rule[0].upper()}{rule[1:]}</strong>: {cost}, {saved} % less than {always}."
    rule = f" and {rule}" if (rule := _rule(content, best)) else ""
    if not r.savings:
        return f"Use <strong>{named(best.name, SHORT)}</strong>{rule}: {cost}."
    ahead = _saved(r.savings[r.courses[1].name], r.courses[1].name)
    if not r.alike:
        return f"Use <strong>{named(best.name, SHORT)}</strong>{rule}: {cost}, {ahead}."
    if r.tie_break is not None:
        return _better_probabilities(content, r, r.tie_break)
    courses = [best, *r.alike]
    names = [f"<strong>{named(c.name, SHORT)}</strong>{_from(c)}" for c in courses]
    rest = [f"{len(names) - MOST_ALIKE} more"] if len(names) > MOST_ALIKE else []
    which = "either of" if len(courses) == 2 else "any of"
    what = f" to predict {_class(_positive(content))}" if best.threshold else ""
    return (
        f"Use {which} {listed([*names[:MOST_ALIKE], *rest])}{what}: <strong>no significant difference</strong> in "
        f"expected cost. Lowest: {named(best.name, SHORT)}, {number(best.cost)} per case, {ahead}."
    )


def _better_probabilities(content: Content, r: Recommendation, tie: TieBreak) -> str:
    """Of models of like cost, the one to use: what is said of costs was tested against the cheapest."""
    used, best = r.advised, r.best
    rule = f" and {rule}" if (rule := _rule(content, used)) else ""
    other = r.alike[0] if used is best else best
    than = "the lowest, " if used.cost > best.cost else ""
    worse = _names([c.name for c in (best, *r.alike) if c is not used], MOST_ALIKE, SHORT)
    return (
        f"Use <strong>{named(used.name, SHORT)}</strong>{rule}: expected cost {number(used.cost)} per case, "
        f"<strong>no significant difference</strong> from {than}{named(other.name, SHORT)} ({number(other.cost)}, "
        f"{_whole(p_value(r.savings[(other if used is best else used).name].p))}), and significantly better "
        f"probabilities than {worse} (log loss, {_whole(p_value(tie.p))})."
    )


def _class(label: object) -> str:
    return f"<bdi>{escape(short(str(label), 30))}</bdi>"


def _positive(content: Content) -> object:
    return content.first.classes[content.first.statistics.source.positive or 0]


def _from(course: Course) -> str:
    """The threshold in brackets; an infinite one is never reached."""
    return f" ({'never' if course.threshold == '∞' else f'from {course.threshold} on'})" if course.threshold else ""


def _rule(content: Content, course: Course) -> str:
    return f"predict {_class(_positive(content))} from {course.threshold} on" if course.threshold else ""


def _percent(share: float) -> str:
    """A share without its sign of percent."""
    return f"{100 * share:.{0 if abs(share) >= 0.0995 or share == 0 else 1}f}".replace("-", "−")


def _saved(s: Saving, name: str) -> str:
    """How much less the best model costs than another."""
    than = f"{f'{_percent(s.share)} % less than' if s.share > 0 else 'the same as'} {named(name, SHORT)}"
    ends = f" [{_percent(s.low)} %, {_percent(s.high)} %]" if s.low == s.low else ""
    return f"{than}{ends} ({_whole(p_value(s.p))})" if s.p == s.p else f"{than}{ends} (not tested)"


def _whole(words: str) -> str:
    """In one line."""
    return f'<span class="whole">{escape(words)}</span>'


def _assumed(content: Content, r: Recommendation) -> list[str]:
    """What the advice assumes, and how sure it is."""
    positive = content.first.statistics.source.positive
    sentences = ["No costs were given: all errors are assumed to cost the same."]
    if r.advised.threshold:
        weight = content.first.statistics.source.class_weight.reshape(-1, 2)[0]
        share = percent(float(weight[positive or 0] / weight.sum()))
        sentences[0] = f"No costs were given: both errors are assumed to cost the same, at the prevalence of {share}."
        sentences.append("The threshold was chosen on these cases")
        sentences[-1] += f": on new ones expect {interval(*r.new_cost)}, cross-validated." if all_finite(r) else "."
    elif positive is None and len(content.classes) == 2:
        sentences.append("No positive class was given, so no threshold is recommended.")
    if content.first.rejected:
        sentences.append("A rejected case counts as an error.")
    return [*sentences, _counted_findings(content)]


def all_finite(r: Recommendation) -> bool:
    """Is the cost on new cases known, with its interval?"""
    return all(map(math.isfinite, r.new_cost))


def _counted_findings(content: Content) -> str:
    """How many there are of each severity, as a link to them."""
    counts = Counter(str(f.severity) for f in dict(_kinds(content)).values())
    if not counts:
        return "No findings."
    words = listed([counted(number, severity) for severity, number in counts.items()])
    return f'<a href="#findings">Findings: {words}.</a>'


COLUMNS = ("aspect", "measure", "best", "ahead of the next by", "p", "no significant difference from")
STANDING = ("aspect", "measure", "best", "value")


def verdict(content: Content) -> str:
    """Which model is better, and how significantly: a row for each aspect."""
    c = content.comparison
    if c is not None:
        in_rows = len(c.aspects) <= NAMED and c.alternative == "two-sided"
        by_key = {key: _aspect(content, c, aspect, key) for aspect, key in c.aspects.items()} if in_rows else {}
        if kept := [row for row in by_key.values() if row]:
            table = _table(COLUMNS, kept) + _alone(c) + _sentences(_beside(c, by_key))
        else:
            table = _sentences([c.verdict])
        return table + _conditions(content)
    symbols = [m.symbol for m in content.measures]
    spoken = {a: symbol for a, symbol in ASPECTS.items() if symbol in symbols} or {s: s for s in symbols[:NAMED]}
    rows = [_standing(content, aspect, symbol) for aspect, symbol in spoken.items()]
    why = f'<p class="quiet">The differences were not tested: {escape(content.not_compared)}.</p>'
    return _table(STANDING, rows) + _conditions(content) + (why if len(content.models) > 1 else "")


def _alone(c: Comparison) -> str:
    """Why an interval may leave out 0 beside a p-value that is not small."""
    if c.claims < 2:
        return ""
    return (
        f'<p class="quiet">p is corrected (Holm) for the {c.claims} tests of this verdict; '
        f"{100 * c.level:g} % intervals are of each difference alone.</p>"
    )


def _beside(c: Comparison, rows: dict[str, str]) -> list[str]:
    """What the verdict says beyond these rows: of measures without one, of margins, and why p-values are smaller than
    they should be."""
    without_row = [standing(c, key) for key, row in rows.items() if not row]
    of_margins = next(iter(c.pairs.values())).margins_in_words(list(rows)) if len(c.pairs) == 1 else []
    return [*without_row, *of_margins, *filter(None, [c.caveat])]


def _sentences(sentences: list[str]) -> str:
    return "".join(f"<p>{escape(sentence)}</p>" for sentence in sentences)


def _table(columns: tuple[str, ...], rows: list[str]) -> str:
    head = "".join(f'<th scope="col">{name}</th>' for name in columns)
    table = f'<table class="verdict"><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table>'
    return f'<div class="wide" tabindex="0" role="region" aria-label="verdict by aspect">{table}</div>'


def _row(kind: str, term: str, *cells: str) -> str:
    return f'<tr class="{kind}"><th scope="row">{term}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'


def _term(aspect: str, symbol: str, label: str) -> str:
    """What a row is about: an aspect, or a measure that was named."""
    return escape(label) if aspect == symbol else CALLED.get(aspect, aspect).capitalize()


def _label(content: Content, m: Measure, key: str) -> str:
    """The title of the row that shows a measure; that of one class names the class."""
    return f"{content.row_of(m).title}{key.removeprefix(m.symbol)}"


def _aspect(content: Content, c: Comparison, aspect: str, key: str) -> str:
    m = c.measure_of(key)
    values = {name: v for name, v in c.values_of(key).items() if v == v}
    if not m.orientation or len(values) < 2:
        return ""
    best = max(values, key=lambda name: values[name] * m.orientation)
    others = {name: d for name in values if name != best and (d := compared(c, best, name, key)) is not None}
    if not others:
        return ""
    next_best = max(others, key=lambda name: values[name] * m.orientation)
    alike = [name for name, d in others.items() if d.winner(c.level) is None]
    label = _label(content, m, key)
    who = named(best) if alike else f"<strong>{named(best)}</strong>"
    size, p = _ahead(others[next_best], m.orientation)
    ties = _names(alike) if alike else '<span class="quiet">none: significantly better</span>'
    measure = f"{escape(label)} {number(values[best])}"
    return _row("open" if alike else "won", _term(aspect, key, label), measure, who, size, p, ties)


def _ahead(d: Difference, orientation: int) -> tuple[str, str]:
    """By how much one model is better than another, with its interval, and the p-value; or why they were not tested."""
    size = in_cell(number(orientation * d.difference))
    if d.p != d.p:
        return size, f"not tested: {escape(d.reason)}"
    p = _whole(PValue(d.deciding_p).words)
    if d.low != d.low:
        return f"{size} ({escape(d.reason)})", p
    low, high = sorted((orientation * d.low, orientation * d.high))
    why = f" ({escape(d.caution)})" if d.caution else ""
    return f"{in_cell(difference_words(orientation * d.difference, low, high))}{why}", p


def _conditions(content: Content) -> str:
    """Which model to use when, with intervals of the borders."""
    dominance = content.dominance
    if dominance is None:
        return ""
    ends = {b.pc: b for b in dominance.borders}
    regions: list[str] = []
    for _, end, best in dominance.regions:
        who = " or ".join(named(name) if name in dominance.models else escape(name) for name in best[:3])
        border = ends.get(end)
        if border is None:
            regions.append(f"{who} above that" if regions else f"{who} at any prevalence")
        else:
            known = border.low == border.low
            at = interval(end, border.low, border.high) if known else number(end)
            regions.append(f"{who} up to {at}" if regions else f"{who} up to a prevalence of {at}")
    lost = f" Never: {_names(list(dominance.nowhere))}." if dominance.nowhere else ""
    why = (
        "With unequal costs read the probability cost PC instead of the prevalence: "
        "prevalence x cost of a missed case, as a share of that and (1 - prevalence) x cost of a false alarm."
    )
    return (
        f'<p class="when"><strong>Lowest expected cost by prevalence</strong>, if both errors cost the same: '
        f'{", ".join(regions)}.{lost} <abbr class="quiet" tabindex="0" title="{why}">With other costs</abbr></p>'
    )


def _names(names: list[str], most: int = 4, letters: int = 60) -> str:
    return listed(
        [
            *(named(name, letters) for name in names[:most]),
            *([f"{len(names) - most} more"] if len(names) > most else []),
        ]
    )


def _standing(content: Content, aspect: str, symbol: str) -> str:
    """Without a test: the best value and its interval."""
    m = next((m for m in content.measures if m.symbol == symbol), None)
    if m is None:
        return ""
    best, label = content.best(m), _label(content, m, symbol)
    if not best:
        why = escape(content.first.undefined_because(m))
        return _row("", _term(aspect, symbol, label), escape(label), "–", f'<span class="quiet">{why}</span>')
    name = best[0]
    e = content.models[name]
    ends = content.intervals[name].get(symbol) if name in content.intervals else None
    value = number(e[m])
    if ends is not None and ends.low == ends.low:
        value = in_cell(interval(e[m], ends.low, ends.high))
    title = f'<span title="{escape(content.row_of(m).question)}">{escape(label)}</span>'
    return _row("", _term(aspect, symbol, label), title, named(name), value)


def comparison_method(content: Content) -> str:
    """How the models were compared; empty if they were not."""
    return _of_advice(content) + ("" if content.comparison is None else _between(content))


def _of_advice(content: Content) -> str:
    """How the costs of the models were compared."""
    r, count = content.recommendation, len(content.models)
    if r is None or not any(s.p == s.p for s in r.savings.values()):
        return ""
    weighted = content.first.statistics.source.weight is not None
    test = "t test of paired differences" if weighted or content.grouped else "exact McNemar test"
    pairs = counted(count * (count - 1) // 2, "pair")
    return (
        f'<p class="quiet">Expected costs, each at the threshold of its model, were compared by the {test}; p-values '
        f"are corrected (Holm) for {pairs} of models. The interval of a saving is of that pair alone, on the logarithm "
        "of the ratio of the costs.</p>"
    )


def _between(content: Content) -> str:
    c = content.comparison
    assert c is not None
    count = len(c.models)
    few = f" for {count} models: the best two of each aspect, and those with the best mean rank"
    tests = f"{_tests(c)}{few if count < len(content.models) else ''}"
    return f'<p class="quiet">{tests}. {escape(c.corrections)} Cases were paired {c.pairing}.</p>{_other_comparisons()}'


def _other_comparisons() -> str:
    """What else can be asked about models on the same cases, as declared."""
    items = [
        f"<li><code>{escape(c.path)}</code>: {escape(c.question)} "
        f'<span class="quiet">{escape(str(references().get(c.cite, "")))}</span></li>'
        for c in comparisons.values()
        if c.of is MODELS
    ]
    return f"<details><summary>Other ways to compare these models</summary><ul>{''.join(items)}</ul></details>"


def _tests(c: Comparison) -> str:
    """What the models were compared by."""
    methods = {name: keys for name, keys in c.methods.items() if name != UNDEFINED}
    if len(methods) < 2:
        return f"Compared by {next(iter(methods), 'no test')}"
    first, *others = sorted(methods.items(), key=lambda item: -len(item[1]))
    rest = [f"{name} for {listed(keys)}" for name, keys in others]
    return f"Compared by {first[0]}{f' for {listed(first[1])}' if len(first[1]) <= NAMED else ''}, {', '.join(rest)}"


def _kinds(content: Content) -> list[tuple[str, Finding]]:
    """The kind of each finding, and the finding, the most severe first."""
    return [(f"{f.severity} {f.code}", f) for _, f in content.remarks()]


def findings(content: Content) -> str:
    """One line for each kind of finding, the most severe first, with the models it is about; details on demand."""
    groups: dict[str, list[tuple[list[str], Finding]]] = {}
    for (kind, f), (who, _) in zip(_kinds(content), content.remarks(), strict=True):
        groups.setdefault(kind, []).append((who, f))
    if not groups:
        return "<p>No findings: no check found a problem with these predictions.</p>"
    return f'<ul class="findings">{"".join(_kind_of_finding(its) for its in groups.values())}</ul>'


def _kind_of_finding(its: list[tuple[list[str], Finding]]) -> str:
    first = its[0][1]
    titles = list(dict.fromkeys(f.title for _, f in its))
    title = titles[0] if len(titles) == 1 else f"{titles[0]} (and {len(titles) - 1} more like it)"
    models = list(dict.fromkeys(name for who, _ in its for name in who))
    about = f" {_who(listed(map(short, models), most=MOST_NAMED))}" if models else ""
    told = len(its) > 1 or len(models) > MOST_NAMED  # otherwise the line above names them all
    own, of_all = _told_once([f.words for _, f in its])
    details = "".join(
        f"<p data-finding>{_who(listed(map(short, who))) + ' ' if told and who else ''}"
        f"{f'<strong>{escape(f.title)}.</strong> ' if len(titles) > 1 else ''}{escape(words)}</p>"
        for (who, f), words in zip(its, own, strict=True)
    )
    details += f"<p>{escape(of_all)}</p>" if of_all else ""
    return (
        f'<li class="{first.severity}"><details><summary><span class="severity">{first.severity}</span> '
        f"<strong>{escape(title)}</strong>{about}</summary>{details}</details></li>"
    )


def _told_once(texts: list[str]) -> tuple[list[str], str]:
    """What each text says, and the sentences in which all of them end: so that many findings do not repeat them.

    >>> _told_once(["It is 3. Do this.", "It is 4. Do this."])
    (['It is 3.', 'It is 4.'], 'Do this.')
    """
    sentences = [re.split(r"(?<=[.)]) (?=[A-Z])", text) for text in texts]
    same = 0
    while len(texts) > 1 and same < min(map(len, sentences)) and len({one[-1 - same] for one in sentences}) == 1:
        same += 1
    return [" ".join(one[: len(one) - same]) for one in sentences], " ".join(sentences[0][len(sentences[0]) - same :])


def _who(names: str) -> str:
    return f'<span class="who">{escape(names)}</span>'


def left_out(content: Content) -> list[str]:
    """Why panels are not available: one sentence each."""
    evaluations = list(content.models.values())
    sentences = []
    if all(e.statistics.source.lacks(Needs.SCORES) for e in evaluations):
        sentences.append(
            f"There are no curves because {_given(evaluations[0])}: each model is a single point in the diagrams, and "
            "no threshold can be chosen."
        )
    if all(e.statistics.source.lacks(Needs.PROBABILITIES) for e in evaluations):
        curves = "Reliability, attributes, discrimination and Brier curves"
        sentences.append(f"{curves} need probabilities; {_given(evaluations[0])}.")
    if all(e.statistics.lacks(Counts) for e in evaluations):
        sentences.append("Confusion matrices and entropy triangles need class predictions; only scores were given.")
    if len(evaluations[0].classes) > PRICED:
        sentences.append(f"A cost matrix can be entered for up to {PRICED} classes.")
    return sentences


def _given(e: Evaluation) -> str:
    source = e.statistics.source
    given = "confusion matrices" if source.table is not None else source.kind.replace("decisions", "class predictions")
    return f"only {given} were given"


def method(content: Content) -> str:
    """How the intervals were made."""
    if not content.intervals:
        return f"There are no intervals: {TOO_LONG}." if not content.replicates else "Without intervals."
    used = dict.fromkeys(i.method for intervals in content.intervals.values() for i in intervals.values() if i.method)
    methods = ", ".join(PEOPLE.get(name, name) for name in used) or "none available"
    words = f"In brackets: {100 * content.level:g} % confidence intervals ({methods})."
    if content.grouped:
        words += " Cases of one group are not taken for independent."
    if content.comparison is not None and content.replicates < content.wanted:
        words += f" With so many cases, some measures were resampled only {content.replicates:,} times."
    return words
