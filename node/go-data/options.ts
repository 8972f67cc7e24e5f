/** Options of `knit import-go`. */
import { integerKind } from "../options/kinds.ts";
import { optionGroup } from "../options/rows.ts";

const row = optionGroup("Chain file", ["import-go"]);

/** Rows of `knit import-go`. */
export const goImportOptions = {
  head: row({
    flag: "head",
    kind: integerKind(0),
    summary: "block whose state is imported; by default the newest whose state is stored",
    own: true,
  }),
  from: row({
    flag: "from",
    kind: integerKind(1),
    summary: "first block whose body and receipts are imported; headers always are",
    own: true,
  }),
};
