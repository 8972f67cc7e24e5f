/** `knit completion SHELL`: scripts for the completion of commands and flags in bash, zsh and fish. */
import { OptionError } from "../options/error.ts";
import { flagsOfCommand } from "../options/flag-table.ts";
import type { OptionRow } from "../options/rows.ts";
import { type Command, commands } from "./commands.ts";
import { flags } from "./flags.ts";

const PROGRAMS = ["knit", "kcn", "kpn", "ken"] as const;

/** Returns the script. Throws `OptionError` `bad-value` for an unknown shell. */
export function completion(shell: string): string {
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
  if (script === undefined)
    throw new OptionError("bad-value", `the shell must be one of ${Object.keys(SCRIPTS).join(", ")}`);
  return script();
}

const SCRIPTS: Readonly<Record<string, () => string>> = { bash, zsh, fish };

interface TypedFlag {
  readonly typed: string;
  readonly summary: string;
  readonly isSwitch: boolean;
  /** The valid values, when there are few. */
  readonly words: readonly string[];
  readonly isPath: boolean;
}

function flagsOf(command: Command): readonly TypedFlag[] {
  return flagsOfCommand(flags, command.name).map(typedFlag);
}

function typedFlag({ flag, typed, kind, summary }: OptionRow<unknown>): TypedFlag {
  return {
    typed: typed ?? flag,
    summary,
    isSwitch: kind.hint === "",
    words: kind.hint.includes("|") && !kind.hint.includes(":") ? kind.hint.split("|") : [],
    isPath: kind.hint === "PATH",
  };
}

/** Returns the next words by the words before them. */
function nextWords(): ReadonlyMap<string, readonly string[]> {
  const next = new Map<string, Set<string>>();
  for (const { words } of commands) {
    const parts = words.split(" ");
    for (const [depth, part] of parts.entries()) {
      const before = parts.slice(0, depth).join(" ");
      next.set(before, (next.get(before) ?? new Set()).add(part));
    }
  }
  return new Map([...next].map(([before, words]) => [before, [...words]]));
}

function bash(): string {
  const cases = commands.map((command) => {
    const names = flagsOf(command).map(({ typed }) => `--${typed}`);
    return `    ${JSON.stringify(command.words)}) flags=${JSON.stringify(["--help", ...names].join(" "))} ;;`;
  });
  const words = [...nextWords()].map(
    ([before, next]) => `    ${JSON.stringify(before)}) words=${JSON.stringify(next.join(" "))} ;;`,
  );
  const valued = [...new Map(commands.flatMap(flagsOf).map((flag) => [flag.typed, flag])).values()].filter(
    ({ isSwitch }) => !isSwitch,
  );
  const valuedNames = valued.map(({ typed }) => `--${typed}`).join("|");
  return `# bash completion of knit; knit completion bash prints it
_knit() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} command="" word flags words="" value=""
  case $previous in
${valued.map(valueCase).join("\n")}
  esac
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [ -n "$value" ]; then value=""; continue; fi
    case $word in
      ${valuedNames}) value=1 ;;
      -*) ;;
      *) command="\${command:+$command }$word" ;;
    esac
  done
  case $command in
${cases.join("\n")}
    *) flags=${JSON.stringify(["--help", ...runFlags()].join(" "))} ;;
  esac
  case $command in
${words.join("\n")}
  esac
  case $current in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$current")) ;;
    *) COMPREPLY=($(compgen -W "$words" -- "$current")); [ -n "$words" ] || COMPREPLY=($(compgen -f -- "$current")) ;;
  esac
}
complete -o filenames -F _knit ${PROGRAMS.join(" ")}
`;
}

/** Flags of `knit run`, the default command. */
function runFlags(): readonly string[] {
  return commands
    .filter(({ name }) => name === "run")
    .flatMap(flagsOf)
    .map(({ typed }) => `--${typed}`);
}

function valueCase({ typed, words, isPath }: TypedFlag): string {
  const files = isPath ? '$(compgen -f -- "$current")' : "";
  const reply = words.length > 0 ? `$(compgen -W ${JSON.stringify(words.join(" "))} -- "$current")` : files;
  return `    --${typed}) COMPREPLY=(${reply}); return ;;`;
}

/** Returns the script of zsh, which runs that of bash with bashcompinit. */
function zsh(): string {
  return `# zsh completion of knit; knit completion zsh prints it
autoload -U +X bashcompinit && bashcompinit
${bash()}`;
}

function fish(): string {
  const lines = commands.flatMap((command) => {
    const parts = command.words.split(" ");
    const last = parts.at(-1) ?? "";
    const before = parts.slice(0, -1);
    const here =
      before.length === 0 ? "__fish_use_subcommand" : `__fish_seen_subcommand_from ${before.join(" ")}`;
    const flagLines = flagsOf(command).map((flag) => fishFlag(`__fish_seen_subcommand_from ${last}`, flag));
    return [fishLine(here, ["-f", "-a", quote(last), "-d", quote(command.summary)]), ...flagLines];
  });
  const first = [...nextWords().keys()]
    .filter((words) => words !== "" && !words.includes(" "))
    .map((words) => fishLine("__fish_use_subcommand", ["-f", "-a", quote(words)]));
  return `# fish completion of knit; knit completion fish prints it\n${[...first, ...lines].join("\n")}\n`;
}

function fishFlag(condition: string, { typed, summary, isSwitch, words }: TypedFlag): string {
  const value = isSwitch ? [] : ["-r"];
  const known = words.length > 0 ? ["-f", "-a", quote(words.join(" "))] : [];
  return fishLine(condition, ["-l", quote(typed), ...value, ...known, "-d", quote(summary)]);
}

function fishLine(condition: string, words: readonly string[]): string {
  return `complete -c knit -n ${quote(condition)} ${words.join(" ")}`;
}

function quote(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}
