/** Pods of Nodes with backups: the archive in a file that the node reads again, the keys of its store in the node alone. */
import { expect, test } from "@jest/globals";
import { pod } from "../../../operator/api/names.ts";
import { BACKUP_FILE, settingsMap, settingsText } from "../../../operator/build/settings.ts";
import { podTemplate } from "../../../operator/build/stateful-set.ts";
import { inputDigest } from "../../../operator/build/template.ts";
import { aMember, PARTS } from "../../support/a-member.ts";

const to = { url: "s3://archive/first", credentialsSecret: "store" };
const facts = { peers: [], hadBlocks: false };

test("the archive is in a file beside the settings, which another archive or number changes without a new pod", () => {
  const member = aMember({ backup: { to, verify: true } });
  const { data } = settingsMap(member, settingsText(member), facts);
  expect(JSON.parse(data?.[BACKUP_FILE] ?? "")).toEqual({
    url: "s3://archive/first",
    keep: 7,
    verify: true,
    credentials: pod.archiveDirectory,
  });
  expect(settingsText(member)).toContain(`"backup.file": "${pod.settingsDirectory}/${BACKUP_FILE}"`);
  const other = aMember({ backup: { to: { ...to, url: "s3://other" }, keep: 3 } });
  expect(inputDigest(other, "id")).toBe(inputDigest(member, "id"));
  expect(settingsText(other)).toBe(settingsText(member));
  const bare = settingsMap(aMember({ backup: { to: { url: to.url } } }), "", facts).data?.[BACKUP_FILE];
  expect(JSON.parse(bare ?? "")).not.toHaveProperty("credentials");
});

test("the keys of the store are beside the node key, which the node alone mounts, and a missing Secret does not stop it", () => {
  const { spec } = podTemplate(aMember({ backup: { to } }), PARTS);
  const mounts = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].flatMap((container) =>
    (container.volumeMounts ?? []).some(({ name }) => name === "nodekey") ? [container.name] : [],
  );
  expect(mounts).toEqual(["node"]);
  const volume = spec?.volumes?.find(({ name }) => name === "nodekey");
  expect(volume?.projected?.sources?.map(({ secret }) => [secret?.name, secret?.optional])).toEqual([
    ["first-nodekey", undefined],
    ["store", true],
  ]);
  const text = JSON.stringify(volume);
  for (const path of ["nodekey", "archive/AWS_SECRET_ACCESS_KEY"]) expect(text).toContain(`"path":"${path}"`);
  expect(pod.archiveDirectory).toBe(`${pod.nodeKeyDirectory}/archive`);
});

test("a first backup and another Secret are another pod; without backups nothing changes", () => {
  const digests = [{}, { backup: { to: { url: to.url } } }, { backup: { to } }].map((spec) =>
    inputDigest(aMember(spec), "id"),
  );
  expect(new Set(digests).size).toBe(3);
  const none = aMember();
  expect(settingsText(none)).not.toContain("backup");
  expect(settingsMap(none, "", facts).data).not.toHaveProperty([BACKUP_FILE]);
});
