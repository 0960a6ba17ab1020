import { createHash } from "node:crypto";
import { AwsV4Signer } from "aws4fetch";
import { type DeliveryFailure, retry } from "../../platform/outbound/delivery-result.ts";
import type { OutboundResponse } from "../../platform/outbound/outbound-http.ts";
import type { SinkDependencies } from "../sink-type.ts";
import { classifySinkResponse } from "../transport/sink-http-client.ts";

type StoreRequest = {
  readonly method: "GET" | "PUT" | "POST" | "DELETE";
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
};

/** Bucket of an object store that speaks Amazon S3's protocol. */
export type ObjectStore = {
  /** Sends a signed request. Returns the response when it is a success, else the failure. Never rejects. */
  send(request: StoreRequest, signal: AbortSignal): Promise<OutboundResponse | DeliveryFailure>;
};

/** Error codes of S3 that a later attempt may not meet although their status says so. */
const passingCodes =
  /<Code>(?:ExpiredToken|RequestTimeTooSkewed|RequestTimeout|SlowDown|OperationAborted|NoSuchUpload)</;

/** Longest time for one request, which may carry a part of some MiB, ms. */
export const storeRequestMs = 120_000;

/** Opens a bucket. Credentials, region and endpoint are those of the standard `AWS_` variables. */
export function openObjectStore({
  bucket,
  env,
  http,
}: { bucket: string } & Pick<SinkDependencies, "env" | "http">): ObjectStore {
  const endpoint = env["AWS_ENDPOINT_URL_S3"] || env["AWS_ENDPOINT_URL"];
  const region = env["AWS_REGION"] || env["AWS_DEFAULT_REGION"] || "us-east-1";
  const base = endpoint ? `${endpoint.replace(/\/+$/, "")}/${bucket}` : `https://${bucket}.s3.${region}.amazonaws.com`;

  async function sign({ method, key, query = {}, body }: StoreRequest, keys: { id: string; secret: string }) {
    const url = new URL(`${base}/${key.split("/").map(encodeURIComponent).join("/")}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const signer = new AwsV4Signer({
      ...{ method, service: "s3", region, url: url.href },
      accessKeyId: keys.id,
      secretAccessKey: keys.secret,
      ...(env["AWS_SESSION_TOKEN"] ? { sessionToken: env["AWS_SESSION_TOKEN"] } : {}),
      headers: {
        "content-type": "application/x-ndjson",
        "x-amz-content-sha256": createHash("sha256")
          .update(body ?? "")
          .digest("hex"),
      },
    });
    const signed = await signer.sign();
    return { url: signed.url.href, headers: Object.fromEntries(signed.headers) };
  }

  return {
    async send(request, signal) {
      const [id, secret] = [env["AWS_ACCESS_KEY_ID"], env["AWS_SECRET_ACCESS_KEY"]];
      if (!id || !secret)
        return retry(
          "setup",
          "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not both set in the agent's environment",
        );
      let signed: Awaited<ReturnType<typeof sign>>;
      try {
        signed = await sign(request, { id, secret });
      } catch {
        return retry("setup", "AWS_ENDPOINT_URL is not a URL");
      }
      const { method, body } = request;
      const response = await http.send({ ...signed, method, limitMs: storeRequestMs, body }, signal);
      if (response.kind !== "response") return response;
      const result = classifySinkResponse(response);
      if (result.kind === "delivered") return response;
      // The whole text repeats the key of the object, which a path with secrets would be.
      const failure = { ...result, quote: /<Code>(\w+)</.exec(response.body)?.[1] ?? result.quote ?? "" };
      return failure.kind === "rejected" && passingCodes.test(response.body)
        ? { ...failure, kind: "retry", reason: "server" }
        : failure;
    },
  };
}
