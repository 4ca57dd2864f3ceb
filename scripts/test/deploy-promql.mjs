// Runs rules of alerts on made samples, one a minute, by Prometheus' own grammar of PromQL. Only what the tested rules use is
// known; anything else is an error. `increase` and `rate` do not extrapolate.
import { parser } from '@prometheus-io/lezer-promql';

/** Minutes for which the newest sample of a series counts. */
const LOOKBACK = 5;
const MINUTES = { m: 1, h: 60, d: 1_440 };

/**
 * Returns the labels of each alert that fires.
 * @param rule of a PrometheusRule @param series samples by selector: a number, or a function of the minute
 * @param minute since the Unix epoch
 */
export function firing({ expr, for: wait = '0m' }, series, minute) {
  const from = minute - minutesOf(wait);
  const wasTrue = [];
  for (let at = from; at <= minute; at++) wasTrue.push(valueOf(expr, series, at));
  return wasTrue
    .at(-1)
    .filter(({ labels }) =>
      wasTrue.every((vector) => vector.some((one) => keyOf(one.labels) === keyOf(labels))),
    )
    .map(({ labels }) => labels);
}

/** Returns what an expression gives: a number, or [{ labels, value }]. */
export function valueOf(expr, series, minute) {
  const samples = Object.entries(series).map(([selector, value]) => ({
    ...selectorOf(parser.parse(selector).topNode.firstChild, selector),
    at: typeof value === 'function' ? value : () => value,
  }));
  return evaluate(parser.parse(expr).topNode.firstChild, { expr, samples, minute });
}

function evaluate(node, scope) {
  const evaluator = EVALUATORS[node.name];
  if (evaluator === undefined) throw new Error(`not known here: ${node.name} in ${scope.expr}`);
  return evaluator(node, scope);
}

const EVALUATORS = {
  ParenExpr: (node, scope) => evaluate(node.firstChild, scope),
  NumberDurationLiteral: (node, scope) => Number(textOf(node, scope)),
  UnaryExpr: (node, scope) =>
    (textOf(node.firstChild, scope) === '-' ? -1 : 1) * evaluate(node.lastChild, scope),
  VectorSelector: (node, scope) =>
    found(node, scope).flatMap(({ labels, at }) => {
      const value = latest(at, scope.minute);
      return value === undefined ? [] : [{ labels, value }];
    }),
  FunctionCall: (node, scope) => {
    const name = textOf(node.firstChild, scope);
    if (FUNCTIONS[name] === undefined) throw new Error(`not known here: ${name}() in ${scope.expr}`);
    const [first, ...others] = childrenOf(node.lastChild);
    return FUNCTIONS[name](first, scope, others);
  },
  AggregateExpr: (node, scope) => {
    const name = textOf(node.getChild('AggregateOp'), scope);
    if (AGGREGATES[name] === undefined) throw new Error(`not known here: ${name}() in ${scope.expr}`);
    const modifier = node.getChild('AggregateModifier');
    if (modifier !== null && modifier.getChild('By') === null)
      throw new Error(`only "by" is known here: ${scope.expr}`);
    const kept = namesIn(modifier, scope);
    const groups = new Map();
    for (const { labels, value } of evaluate(node.getChild('FunctionCallBody').firstChild, scope)) {
      const own = only(labels, kept);
      const group = groups.get(keyOf(own)) ?? { labels: own, values: [] };
      group.values.push(value);
      groups.set(keyOf(own), group);
    }
    return [...groups.values()].map(({ labels, values }) => ({ labels, value: AGGREGATES[name](values) }));
  },
  BinaryExpr: (node, scope) => {
    const [left, operator] = childrenOf(node);
    const sides = [evaluate(left, scope), evaluate(node.lastChild, scope)];
    const clause = node.getChild('MatchingModifierClause');
    if (clause !== null && clause.getChild('On') === null)
      throw new Error(`only "on" is known here: ${scope.expr}`);
    const key = ({ labels }) => keyOf(clause === null ? labels : only(labels, namesIn(clause, scope)));
    if (SETS[operator.name] !== undefined) return SETS[operator.name](...sides, key);
    const compare = COMPARISONS[operator.name];
    const calculate = compare ?? CALCULATIONS[operator.name];
    if (calculate === undefined) throw new Error(`not known here: ${operator.name} in ${scope.expr}`);
    return combined(...sides, key, (a, b, shown) => {
      if (compare === undefined) return calculate(a, b);
      return compare(a, b) ? shown : undefined;
    });
  },
};

const FUNCTIONS = {
  time: (_, { minute }) => minute * 60,
  absent: (argument, scope) => {
    if (evaluate(argument, scope).length > 0) return [];
    return [{ labels: Object.fromEntries(equalities(argument, scope)), value: 1 }];
  },
  // Only what gives a label a fixed value is known.
  label_replace: (argument, scope, others) => {
    const [name, value, ...source] = others.map((other) => JSON.parse(textOf(other, scope)));
    if (source.some((text) => text !== '')) throw new Error(`not known here: ${scope.expr}`);
    return evaluate(argument, scope).map((one) => ({ ...one, labels: { ...one.labels, [name]: value } }));
  },
  histogram_quantile: (quantile, scope, [buckets]) => {
    const groups = new Map();
    for (const { labels, value } of evaluate(buckets, scope)) {
      const { le, ...own } = labels;
      const group = groups.get(keyOf(own)) ?? { labels: own, steps: [] };
      group.steps.push([le === '+Inf' ? Infinity : Number(le), value]);
      groups.set(keyOf(own), group);
    }
    return [...groups.values()].map(({ labels, steps }) => ({
      labels,
      value: quantileOf(evaluate(quantile, scope), steps),
    }));
  },
  changes: (argument, scope) => overWindow(argument, scope, changed),
  avg_over_time: (argument, scope) =>
    overWindow(argument, scope, (values) => AGGREGATES.sum(values) / values.length, 1),
  min_over_time: (argument, scope) => overWindow(argument, scope, (values) => Math.min(...values), 1),
  present_over_time: (argument, scope) => overWindow(argument, scope, () => 1, 1),
  increase: (argument, scope) => overWindow(argument, scope, (values) => grown(values)),
  rate: (argument, scope) => overWindow(argument, scope, (values, minutes) => grown(values) / (minutes * 60)),
};

const AGGREGATES = {
  sum: (values) => values.reduce((a, b) => a + b, 0),
  count: (values) => values.length,
  min: (values) => Math.min(...values),
  max: (values) => Math.max(...values),
};

const SETS = {
  And: (left, right, key) => left.filter((one) => right.some((other) => key(other) === key(one))),
  Or: (left, right, key) => [
    ...left,
    ...right.filter((other) => !left.some((one) => key(one) === key(other))),
  ],
  Unless: (left, right, key) => left.filter((one) => !right.some((other) => key(other) === key(one))),
};

const COMPARISONS = {
  Gtr: (a, b) => a > b,
  Gte: (a, b) => a >= b,
  Lss: (a, b) => a < b,
  Eql: (a, b) => a === b,
  EqlC: (a, b) => a === b,
};

const CALCULATIONS = {
  Add: (a, b) => a + b,
  Sub: (a, b) => a - b,
  Mul: (a, b) => a * b,
  Div: (a, b) => a / b,
};

/** Joins two sides. @param join from both values, and the value that a comparison lets pass */
function combined(left, right, key, join) {
  const given = (labels, value) => (value === undefined ? [] : [{ labels, value }]);
  if (typeof left === 'number' && typeof right === 'number') return join(left, right, left);
  if (typeof right === 'number')
    return left.flatMap(({ labels, value }) => given(labels, join(value, right, value)));
  if (typeof left === 'number')
    return right.flatMap(({ labels, value }) => given(labels, join(left, value, value)));
  return left.flatMap((one) => {
    const other = right.find((it) => key(it) === key(one));
    return other === undefined ? [] : given(one.labels, join(one.value, other.value, one.value));
  });
}

/** @param fewest samples for which there is a result */
function overWindow(node, scope, calculate, fewest = 2) {
  const minutes = minutesOf(textOf(node.getChild('DurationExpr'), scope));
  return found(node.getChild('VectorSelector'), scope).flatMap(({ labels, at }) => {
    const values = [];
    for (let minute = scope.minute - minutes; minute <= scope.minute; minute++) values.push(at(minute));
    const known = values.filter((value) => value !== undefined);
    return known.length < fewest ? [] : [{ labels, value: calculate(known, minutes) }];
  });
}

/** The growth of a counter; after a restart it begins at 0. */
const grown = (values) =>
  values.slice(1).reduce((sum, value, at) => sum + (value < values[at] ? value : value - values[at]), 0);

const changed = (values) => values.slice(1).filter((value, at) => value !== values[at]).length;

/** The quantile as Prometheus interpolates it. @param steps [upper bound, number of values up to it] */
function quantileOf(quantile, steps) {
  const sorted = steps.toSorted(([a], [b]) => a - b);
  const rank = quantile * sorted.at(-1)[1];
  const at = sorted.findIndex(([, count]) => count >= rank);
  const [from, below] = at === 0 ? [0, 0] : sorted[at - 1];
  const [to, count] = sorted[at];
  return to === Infinity ? from : from + ((to - from) * (rank - below)) / (count - below);
}

function latest(at, minute) {
  for (let back = 0; back < LOOKBACK; back++) {
    const value = at(minute - back);
    if (value !== undefined) return value;
  }
  return undefined;
}

function found(node, scope) {
  const { name, matchers } = selectorOf(node, scope.expr);
  return scope.samples.filter(
    (one) => one.name === name && matchers.every(({ label, test }) => test(one.labels[label] ?? '')),
  );
}

function selectorOf(node, expr) {
  const matchers = (node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? []).map(
    (matcher) => {
      const [label, operator, literal] = childrenOf(matcher).map((child) => textOf(child, { expr }));
      const value = JSON.parse(literal);
      const isMatch = (own) => new RegExp(`^(?:${value})$`).test(own);
      const tests = {
        '=': (own) => own === value,
        '!=': (own) => own !== value,
        '=~': isMatch,
        '!~': (own) => !isMatch(own),
      };
      return { label, operator, value, test: tests[operator] };
    },
  );
  const labels = Object.fromEntries(matchers.map(({ label, value }) => [label, value]));
  return { name: textOf(node.getChild('Identifier'), { expr }), labels, matchers };
}

const equalities = (node, { expr }) =>
  selectorOf(node, expr)
    .matchers.filter(({ operator }) => operator === '=')
    .map(({ label, value }) => [label, value]);

function namesIn(node, scope) {
  return (node?.getChild('GroupingLabels')?.getChildren('LabelName') ?? []).map((name) =>
    textOf(name, scope),
  );
}

function minutesOf(text) {
  const [, number, unit] = /^(\d+)([mhd])$/.exec(text) ?? [];
  if (unit === undefined) throw new Error(`no time: ${text}`);
  return Number(number) * MINUTES[unit];
}

function childrenOf(node) {
  const children = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) children.push(child);
  return children;
}

const textOf = ({ from, to }, { expr }) => expr.slice(from, to);
const only = (labels, names) =>
  Object.fromEntries(Object.entries(labels).filter(([name]) => names.includes(name)));
const keyOf = (labels) => JSON.stringify(Object.entries(labels).sort());
