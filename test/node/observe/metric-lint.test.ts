/** Tests of the checker of scrapes. */
import { expect, test } from "@jest/globals";
import { lintMetrics } from "../../support/metric-lint.ts";

const GOOD = `# HELP knit_calls_total Calls.
# TYPE knit_calls_total counter
knit_calls_total{method="a\\"b",end="ok"} 2
# HELP knit_call_seconds Time.
# TYPE knit_call_seconds histogram
knit_call_seconds_bucket{method="a",le="1"} 2
knit_call_seconds_bucket{method="a",le="+Inf"} 3
knit_call_seconds_sum{method="a"} 4.5
knit_call_seconds_count{method="a"} 3
`;

test("a good scrape has nothing wrong", () => {
  expect(lintMetrics(GOOD)).toEqual([]);
});

test.each([
  ["# HELP knit_calls_total Calls.\n", "", "knit_calls_total: no help"],
  ["calls_total counter", "calls_total gauge", "knit_calls_total: only counters end in _total"],
  [
    'end="ok"} 2\n',
    'end="ok"} 2\nknit_calls_total{method="a\\"b",end="ok"} 2\n',
    "knit_calls_total: a series is there twice",
  ],
  ['le="+Inf"} 3', 'le="+Inf"} 1', "knit_call_seconds: buckets do not add up"],
  [" 4.5\n", " 4,5\n", 'not understood: knit_call_seconds_sum{method="a"} 4,5'],
  ['"ok"} 2\n', '"ok} 2\n', 'not understood: knit_calls_total{method="a\\"b",end="ok} 2'],
])("it finds %j made %j", (from, to, complaint) => {
  expect(lintMetrics(GOOD.replace(from, to))).toEqual([complaint]);
});

const untypedMetric = (name: string): string =>
  `# HELP ${name} A.\n# TYPE ${name} untyped\n${name}{le="1"} 1\n`;

test("of what is untyped the spelling alone counts", () => {
  expect(lintMetrics(untypedMetric("knit_calls_gauge") + untypedMetric("knit_calls_total"))).toEqual([]);
  expect(lintMetrics(untypedMetric("knit_callCount"))).toEqual(["knit_callCount: no snake_case"]);
  expect(lintMetrics(untypedMetric("knit_a").replace("untyped", "gauge"))).toEqual([
    "knit_a: a label of histograms",
  ]);
});

test.each([
  ["knit_CallCount", "no snake_case"],
  ["knit_wait_ms", "a unit that is cut short"],
  ["knit_wait_milliseconds", "no base unit"],
  ["knit_wait_hours_mean", "no base unit"],
  ["knit:waits", "colons are for rules"],
  ["knit_calls_gauge", "its type is in its name"],
  ["knit_calls_count", "a suffix of histograms"],
])("it minds the name %s", (name, rule) => {
  expect(lintMetrics(`# HELP ${name} A.\n# TYPE ${name} gauge\n${name} 1\n`)).toEqual([`${name}: ${rule}`]);
});
