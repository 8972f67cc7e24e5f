/** Alerts and dashboards: every metric that they ask for is declared, and every alert has a runbook and a test. */
import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { parse } from "yaml";
import { createGatewayMetrics } from "../../../operator/observe/gateway-metrics.ts";
import { DASHBOARDS, dashboards, dashboardText } from "../../../scripts/dashboards.ts";
import { unreadMetrics } from "../../../scripts/operator-metrics-docs.ts";

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: Readonly<Record<string, string>>;
}

interface Tests {
  readonly tests: readonly {
    readonly alert_rule_test: readonly {
      readonly alertname: string;
      readonly exp_alerts: readonly object[];
    }[];
  }[];
}

const [group] = (
  parse(readFileSync("charts/knit-operator/files/alerts.yaml", "utf8")) as {
    groups: { rules: Rule[] }[];
  }
).groups;
const rules = group?.rules ?? [];

/** Names of metrics of operator, gateway and node; those of the node are the rows of their page. */
const declared = new Set([
  ...unreadMetrics()
    .declarations()
    .map(({ name }) => name),
  ...createGatewayMetrics()
    .declarations()
    .map(({ name }) => name),
  ...[...readFileSync("docs/metrics.md", "utf8").matchAll(/^\| `(\w+)/gm)].map(([, name = ""]) => name),
]);

/** Metrics in a query: names that begin as those of the programs do. */
function metricsIn(expr: string): readonly string[] {
  const names = expr
    .replaceAll(/"[^"]*"/g, "")
    .match(/\b(knit|process|workqueue|controller_runtime|rest_client|leader_election)_\w+/g);
  return (names ?? []).map((name) => name.replace(/_bucket$/, ""));
}

test("every alert asks for metrics that there are", () => {
  expect(rules.length).toBeGreaterThanOrEqual(14);
  for (const { alert, expr } of rules) {
    const names = metricsIn(expr);
    expect([alert, names.length > 0]).toEqual([alert, true]);
    expect([alert, names.filter((name) => !declared.has(name))]).toEqual([alert, []]);
  }
});

test("every alert has a severity, a summary, and a section with steps on the page of runbooks", () => {
  const page = readFileSync("docs/alerts.md", "utf8");
  for (const { alert, expr, labels, annotations } of rules) {
    expect(["critical", "warning"]).toContain(labels.severity);
    expect(annotations["summary"]).toMatch(/^[A-Z].*\.$/);
    expect(annotations["runbook_url"]).toBe(`docs/alerts.md#${alert.toLowerCase()}`);
    const [section = ""] = page.split(`\n## ${alert}\n`)[1]?.split("\n## ") ?? [];
    expect([alert, section.includes(expr), /\n1\. /.test(section)]).toEqual([alert, true, true]);
  }
  expect([...page.matchAll(/^## (\w+)$/gm)].map(([, name]) => name)).toEqual(rules.map(({ alert }) => alert));
});

test("links of the page of runbooks go to sections that there are", () => {
  const links = [...readFileSync("docs/alerts.md", "utf8").matchAll(/\]\(([\w-]*\.?m?d?)#([\w-]+)\)/g)];
  expect(links.length).toBeGreaterThan(15);
  for (const [, file = "", anchor = ""] of links) {
    const text = readFileSync(`docs/${file || "alerts.md"}`, "utf8");
    const anchors = [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) =>
      title
        .toLowerCase()
        .replaceAll(/[^\w -]/g, "")
        .replaceAll(" ", "-"),
    );
    expect([file, anchor, anchors.includes(anchor)]).toEqual([file, anchor, true]);
  }
});

test("every alert fires in one of promtool's tests, and stays quiet in another", () => {
  const { tests } = parse(readFileSync("test/alerts/alerts.yaml", "utf8")) as Tests;
  const all = tests.flatMap(({ alert_rule_test: each }) => each);
  for (const { alert } of rules) {
    const own = all
      .filter(({ alertname }) => alertname === alert)
      .map(({ exp_alerts: fired }) => fired.length > 0);
    expect([alert, own.includes(true), own.includes(false)]).toEqual([alert, true, true]);
  }
});

test.each(dashboards.map((each) => [each.uid, each] as const))(
  "the dashboard %s asks for metrics that there are, and is what its script writes",
  (uid, dashboard) => {
    const exprs = [
      ...dashboard.panels.flatMap(({ queries }) => queries.map(([expr]) => expr)),
      ...Object.values(dashboard.variables),
    ];
    for (const expr of exprs) {
      expect([expr, metricsIn(expr).length > 0]).toEqual([expr, true]);
      expect([expr, metricsIn(expr).filter((name) => !declared.has(name))]).toEqual([expr, []]);
    }
    expect(readFileSync(`${DASHBOARDS}/${uid}.json`, "utf8")).toBe(dashboardText(dashboard));
  },
);
