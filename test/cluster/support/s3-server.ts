/** versitygw, an S3 server, as a pod of a namespace of its own; a directory is its store. */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Cluster } from "./cluster.ts";
import { loadImage } from "./image.ts";
import { IMAGES } from "./real-pods.ts";
import { BUCKET, clientVariables, OWNER_KEYS, serverArguments, storeDirectories } from "./s3-process.ts";
import { buildTool } from "./tools.ts";

const IMAGE = "knit.dev/versitygw:test";
const PORT = 7_070;
const NAMESPACE = "store";

/** The server's bucket, and the variables for its clients in any namespace. */
export interface S3Server {
  readonly bucket: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** Builds the server where it is missing, and starts it. */
export async function startS3Server(cluster: Cluster): Promise<S3Server> {
  await packServer(cluster);
  await cluster.kubectl(["create", "namespace", NAMESPACE]);
  const objects = { apiVersion: "v1", kind: "List", items: [pod(), SERVICE] };
  await cluster.kubectl(["-n", NAMESPACE, "apply", "-f", "-"], JSON.stringify(objects));
  await cluster.kubectl(["-n", NAMESPACE, "wait", "--for=condition=Ready", "pod/s3", "--timeout=120s"]);
  const variables = clientVariables(`http://s3.${NAMESPACE}.svc.cluster.local:${PORT}`);
  return { bucket: BUCKET, variables };
}

async function packServer(cluster: Cluster): Promise<void> {
  const binary = await buildTool("versitygw");
  const work = mkdtempSync(join(tmpdir(), "s3-"));
  try {
    const [rootfs, archive] = [join(work, "root"), join(work, "image.tar")];
    mkdirSync(join(rootfs, "tmp"), { recursive: true });
    cpSync(binary, join(rootfs, "versitygw"));
    await loadImage(cluster, { reference: IMAGE, rootfs, archive, entrypoint: ["/versitygw"] });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

const LABELS = { app: "s3" };

const SERVICE = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "s3" },
  spec: { selector: LABELS, ports: [{ port: PORT }] },
};

function pod(): object {
  const volumeMounts = [{ name: "data", mountPath: "/data" }];
  const { buckets, attributes } = storeDirectories("/data");
  const code = `for (const path of ${JSON.stringify([`${buckets}/${BUCKET}`, attributes])})
    require("node:fs").mkdirSync(path, { recursive: true });`;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "s3", labels: LABELS },
    spec: {
      securityContext: { runAsUser: 1_000, runAsGroup: 1_000, fsGroup: 1_000 },
      initContainers: [
        { name: "bucket", image: IMAGES.node, command: ["/usr/local/bin/node", "-e", code], volumeMounts },
      ],
      containers: [
        {
          name: "s3",
          image: IMAGE,
          env: Object.entries(OWNER_KEYS).map(([name, value]) => ({ name, value })),
          args: serverArguments(`:${PORT}`, "/data"),
          readinessProbe: { tcpSocket: { port: PORT }, periodSeconds: 1 },
          volumeMounts,
        },
      ],
      volumes: [{ name: "data", emptyDir: {} }],
    },
  };
}
