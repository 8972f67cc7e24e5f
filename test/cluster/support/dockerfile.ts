/** The Dockerfile, read as far as it goes: what a target's image holds, who runs it and how it starts. */

/** One `COPY --from`. */
export interface Copy {
  readonly from: string;
  /** Absolute, in the stage it comes from. */
  readonly sources: readonly string[];
  /** Absolute, in the image. */
  readonly destination: string;
}

/** An image. */
export interface Target {
  readonly entrypoint: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly user: string;
  readonly directory: string;
  readonly copies: readonly Copy[];
}

/** Reads the target called `name` with the stages that it is built on. Throws when there is none. */
export function readTarget(text: string, name: string): Target {
  const stages = new Map(
    text
      .split(/^FROM /m)
      .slice(1)
      .map((stage) => {
        const [head = "", ...lines] = stage.split("\n");
        const [base = "", , called = ""] = head.split(" ");
        return [called, { base, lines }];
      }),
  );
  let target: Target = { entrypoint: [], env: {}, user: "", directory: "/", copies: [] };
  const apply = (stage: string): void => {
    const found = stages.get(stage);
    if (found === undefined) return;
    apply(found.base);
    for (const line of found.lines) target = { ...target, ...effect(target, line) };
  };
  if (!stages.has(name)) throw new Error(`the Dockerfile has no target ${name}`);
  apply(name);
  return target;
}

function effect(target: Target, line: string): Partial<Target> {
  const [word = "", ...rest] = line.split(" ");
  if (word === "ENTRYPOINT") return { entrypoint: JSON.parse(rest.join(" ")) as string[] };
  if (word === "ENV")
    return { env: { ...target.env, ...Object.fromEntries(rest.map((each) => each.split("=", 2))) } };
  if (word === "USER") return { user: rest.join(" ") };
  if (word === "WORKDIR") return { directory: rest.join(" ") };
  if (word !== "COPY" || !rest[0]?.startsWith("--from=")) return {};
  const [from = "", ...paths] = rest;
  const destination = `${target.directory}/${(paths.at(-1) ?? "").replace(/^\.\/?/, "")}`;
  return {
    copies: [
      ...target.copies,
      { from: from.slice("--from=".length), sources: paths.slice(0, -1), destination },
    ],
  };
}
