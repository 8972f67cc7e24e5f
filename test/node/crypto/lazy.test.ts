/** Tests of the libraries that the first use of a primitive loads. */
import { execFileSync } from "node:child_process";
import { expect, test } from "@jest/globals";

/** Packages of `node_modules` that a program loads when it imports a file of the room and then runs `use`. */
function loadedBy(file: string, use = ""): string[] {
  const program = `
    import { registerHooks } from "node:module";
    const seen = new Set();
    registerHooks({ load(url, context, next) {
      const [, name] = url.match(/node_modules\\/((?:@[^/]+\\/)?[^/]+)/) ?? [];
      if (name) seen.add(name);
      return next(url, context);
    } });
    const room = await import("./node/crypto/${file}");
    ${use}
    console.log(JSON.stringify([...seen].sort()));`;
  const text = execFileSync(process.execPath, ["--input-type=module", "--eval", program], {
    encoding: "utf8",
  });
  return JSON.parse(text) as string[];
}

test.each([
  "hashes.ts",
  "blake2f.ts",
  "p256.ts",
  "bls.ts",
  "bls-key.ts",
  "bls-possession.ts",
  "bn254.ts",
  "bls-points.ts",
  "kzg-point.ts",
  "kzg.ts",
  "versioned-hash.ts",
])("%s loads no library before it is used", (file) => {
  expect(loadedBy(file)).toEqual([]);
});

test("the first use loads a library where one computes, and none where our kernels do", () => {
  expect(loadedBy("bn254.ts", "room.bn254();")).toEqual([]);
  expect(loadedBy("bls-points.ts", "room.addG1(new Uint8Array(256));")).toEqual([]);
  expect(loadedBy("kzg-point.ts", "room.isPointEvaluation(new Uint8Array(192));")).toEqual([]);
  expect(loadedBy("bls.ts", "await room.loadBls();")).toContain("@chainsafe/blst");
});
