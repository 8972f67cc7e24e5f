/**
 * The commands of the operator's pages, as one reader runs them: the pages in their order, the words of his own that take
 * the places of those in capitals, and the commands that cannot run on one machine without the internet.
 */
import { pageCommands } from "../../support/page.ts";

/** Pages, and sections of pages, in the order in which they are read. */
export interface Chapter {
  readonly page: string;
  /** Headings of the second level; empty for the text before the first one. All of the page when absent. */
  readonly sections?: readonly string[];
}

/** Registry of the images, which the machine of the tests has already. */
export const REGISTRY = "knit.test";
/** Version that the pages name for the images of a release, and for a newer one. */
export const VERSIONS = ["0.1.0", "0.1.1"] as const;

const CHAPTER_LIST = {
  install: { page: "docs/operator/install.md", sections: ["", "With the Operator Lifecycle Manager"] },
  firstNetwork: { page: "docs/operator/first-network.md", sections: ["", "The pieces"] },
  process: { page: "docs/operator/operator-process.md" },
  monitoring: { page: "docs/operator/monitoring.md" },
  backups: { page: "docs/operator/backups.md" },
  plugin: { page: "docs/operator/kubectl.md" },
  maintenance: { page: "docs/operator/maintenance.md" },
  upgradeOperator: { page: "docs/operator/upgrade.md", sections: ["", "The operator"] },
  upgradeNodes: {
    page: "docs/operator/upgrade.md",
    sections: ["The nodes", "Replacement of pods", "Restart and outdated pods", "Pause"],
  },
  validators: { page: "docs/operator/validators.md" },
  replicas: { page: "docs/operator/replicas.md" },
  tls: { page: "docs/operator/tls.md" },
  privateRegistry: { page: "docs/operator/private-registry.md" },
  publicNetworks: { page: "docs/operator/public-networks.md" },
  troubleshooting: { page: "docs/operator/troubleshooting.md" },
  alerts: { page: "docs/alerts.md" },
  objects: { page: "docs/operator/objects.md" },
  deleteNetwork: { page: "docs/operator/first-network.md", sections: ["Next"] },
  networkChart: { page: "charts/knit-network/README.md" },
  uninstall: { page: "docs/operator/install.md", sections: ["Uninstall"] },
  operatorChart: { page: "charts/knit-operator/README.md" },
  readme: { page: "README.md", sections: ["On Kubernetes"] },
} satisfies Readonly<Record<string, Chapter>>;

/** The chapters by name. */
export const chapters: Readonly<Record<keyof typeof CHAPTER_LIST, Chapter>> = CHAPTER_LIST;

const BARE = "the name of a command in a sentence";
const DOCKER = "needs Docker and a registry: the images of the same Dockerfile are loaded instead";

/** Commands that are not run, by page, each with the reason; `...` stands for the rest of a command. */
export const notRun: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "docs/operator/install.md": {
    "docker build --target node...": DOCKER,
    "node scripts/bundle.ts...": DOCKER,
    "operator-sdk run bundle...": "needs the Operator Lifecycle Manager",
    "helm uninstall": BARE,
    "knit-operator release": "runs as the Job behind the uninstallation",
    "kubectl -n knit-system logs job/...": "the Job of an uninstallation that succeeds is deleted",
  },
  "docs/operator/operator-process.md": {
    "kubectl -n knit-system port-forward...":
      "runs until it is interrupted; monitoring.md has it with an end",
    "helm uninstall": BARE,
  },
  "docs/operator/kubectl.md": { "npm ci...": "the tests run in an installed checkout" },
  "docs/operator/upgrade.md": { "helm rollback": BARE },
  "docs/operator/validators.md": {
    "kubectl drain": BARE,
    "kubectl delete pod NAME...": "for a pod on a lost machine, which test/cluster/machines plays",
    "kubectl delete pdb...": "the network of the page has too few validators for a budget",
  },
  "docs/operator/replicas.md": { "kubectl scale": BARE },
  "docs/operator/objects.md": { "kubectl delete": BARE },
  "docs/operator/troubleshooting.md": {
    "kubectl delete": BARE,
    "kubectl delete pod ... --force": "the command is in the message about a machine that is gone",
    "kubectl describe pvc": BARE,
  },
  "docs/alerts.md": { "helm upgrade": BARE },
  "charts/knit-operator/README.md": { "helm uninstall": BARE, "helm upgrade": BARE, "helm test": BARE },
};

/** Words of the reader, in the places of those in capitals; the first that fits goes first. */
const WORDS: readonly (readonly [pattern: RegExp, word: string])[] = [
  [/\bREGISTRY\b/g, REGISTRY],
  [/NAMESPACE\/RELEASE/g, "knit-system/knit-operator"],
  [/\bNAMESPACE\b/g, "demo"],
  [/ \[NODE\.\.\.\]/g, ""],
  [/checkpoint NODE\.\.\./g, "checkpoint endpoint"],
  [/\bNODE\.\.\./g, "proxy"],
  [/\bREPLICA\b/g, "proxy"],
  [/\bCOMMAND\b/g, "graph"],
  [/\bNODE\b/g, "proxy"],
  [/\bPOD\b/g, "proxy-0"],
  [/knet NAME\b/g, "knet demo"],
  [/kn NAME (knit\.dev\/run=checkpoint)/g, "kn endpoint $1"],
  [/service-name=NAME\b/g, "service-name=endpoint"],
  [/\bNAME\b/g, "proxy"],
  [/^KUBECONFIG=\S+ /gm, ""],
  [/^knit-operator /gm, "npx knit-operator "],
];

/** Returns a command with the words of the reader. */
export function withWords(text: string): string {
  return WORDS.reduce((changed, [pattern, word]) => changed.replaceAll(pattern, word), text);
}

/** Returns the row of `notRun` about a command of a page; undefined for one that is run. */
export function whyNotRun(page: string, text: string): readonly [start: string, reason: string] | undefined {
  return Object.entries(notRun[page] ?? {}).find(([start]) =>
    start.endsWith("...") ? text.startsWith(start.slice(0, -3)) : text === start,
  );
}

/** Returns the commands of a chapter; `page` is the text of its page. */
export function commandsOf({ sections }: Chapter, page: string): ReturnType<typeof pageCommands> {
  return pageCommands(page).filter(({ section }) => sections?.includes(section) ?? true);
}
