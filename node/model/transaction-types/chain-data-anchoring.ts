import { anchored, from } from "./column.ts";
import { familyRows } from "./family.ts";

/** Records data of another chain; nothing checks it. */
export const chainDataAnchoring = familyRows({
  code: 0x48,
  stem: "ChainDataAnchoring",
  columns: [from, anchored],
  anchors: true,
  shownToSender: true,
  action: "nothing",
});
