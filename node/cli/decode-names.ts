/** Names of the formats of `knit decode`. Help imports them without the decoders. */

/** A format: its name for `--type` and its description. */
export interface DecodeName {
  readonly name: string;
  readonly summary: string;
}

/** All formats in the order of detection: the strictest are first. */
export const decodeNames = [
  { name: "transaction", summary: "of any kind, raw; Ethereum's kinds also without the 0x78 in front" },
  { name: "block", summary: "header and transactions" },
  { name: "header", summary: "of any fork: fields, hashes, author, committers, round, validators" },
  { name: "receipt", summary: "as the receipts root has it or as stored; also a list of them" },
  { name: "extra", summary: "a header's extra data: vanity, validators, seals" },
  { name: "account", summary: "as the state trie has it" },
  { name: "account-key", summary: "of any kind" },
  { name: "vote", summary: "a header's vote" },
  { name: "governance", summary: "a header's governance data" },
  { name: "rlp", summary: "anything in RLP, as nested lists of hex" },
] as const satisfies readonly DecodeName[];

/** Returns the list of formats for help. */
export function decodeDetails(): string {
  const width = Math.max(...decodeNames.map(({ name }) => name.length));
  const rows = decodeNames.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  return `
Types
${rows.join("\n")}

The bytes are hex (0x or not), or a file that holds them, as hex or as they are, up to 64 MB. A file whose name
is hex is given as ./NAME. JSON goes to stdout; bytes that cannot be read end the command with exit code 1 and a
line that says at which byte and why.

  knit decode 0x02a1033a514176466fa815ed481ffad09110a2d344f6c9b78c1d14afc351c3a51be33d
  knit decode --type header block-header.rlp
`;
}
