/** Elements of the XML in answers of S3 stores, which are flat enough to be found by their names. */

/** Returns the content of the first element of a name. */
export function xmlElement(xml: string, name: string): string | undefined {
  return xmlElements(xml, name).next().value;
}

/** Yields the contents of the elements of a name, in one pass: an expression would look for each end again. */
export function* xmlElements(xml: string, name: string): Generator<string, undefined> {
  const [open, close] = [`<${name}>`, `</${name}>`];
  for (let at = xml.indexOf(open); at >= 0; ) {
    const end = xml.indexOf(close, at + open.length);
    if (end < 0) return;
    yield xml.slice(at + open.length, end);
    at = xml.indexOf(open, end + close.length);
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  "#34": '"',
};

/** Returns the text of an element's content. */
export function plainText(xml: string): string {
  return xml.replaceAll(/&(#?\w+);/g, (whole, name: string) => ENTITIES[name] ?? whole);
}
