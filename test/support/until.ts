/** Waits for conditions. */
const PATIENCE_MS = 25_000;

/** Resolves when `holds` does; rejects when it never does, a little before the test's own time is over. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`in vain waited for ${holds.toString()}`);
    await new Promise((resolve) => void setTimeout(resolve, 2));
  }
}
