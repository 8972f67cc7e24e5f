/**
 * The chart's alerts with shorter times: `for`, the windows of ranges and the horizon of a prediction, which are how
 * long a fault lasts. What they compare, and the limits of values, stay.
 */
/** A rule as Prometheus reads it. */
export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
}

/** The groups of a file of rules, and of a PrometheusRule. */
export interface RuleFile {
  readonly groups: readonly { readonly name: string; readonly rules: readonly AlertRule[] }[];
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** A time such as `15m`, divided by `factor`. */
export function shorten(text: string, factor: number): string {
  const seconds = Number.parseInt(text, 10) * (UNITS[text.at(-1) ?? ""] ?? Number.NaN);
  return `${Math.max(1, Math.round((1_000 * seconds) / factor))}ms`;
}

/** The rules with all times divided by `factor`. */
export function shortRules(file: RuleFile, factor: number): RuleFile {
  const groups = file.groups.map(({ rules, ...group }) => ({
    ...group,
    rules: rules.map((rule) => ({
      ...rule,
      expr: shortExpr(rule.expr, factor),
      ...(rule.for === undefined ? {} : { for: shorten(rule.for, factor) }),
    })),
  }));
  return { groups };
}

function shortExpr(expr: string, factor: number): string {
  return expr
    .replaceAll(/\[(\d+[smhd])\]/g, (_, window: string) => `[${shorten(window, factor)}]`)
    .replaceAll(/(predict_linear\([^,]*,)([^)]*)\)/g, `$1 ($2) / ${factor})`);
}
