/** Response of a Connect JSON call. `code` and `message` are empty after a success. */
export type RpcAnswer = {
  readonly http: number;
  readonly ok: boolean;
  readonly code: string;
  readonly message: string;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
};

/** Calls an RPC such as `QueryService/ListStatus` with JSON over HTTP/1.1. Rejects only when there is no response. */
export async function call(
  base: string,
  rpc: string,
  body: object | string = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<RpcAnswer> {
  const response = await fetch(`${base}/svc.v1.${rpc}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
    signal: AbortSignal.timeout(120_000),
  });
  const json = parse(await response.text());
  const errorField = (field: string): string =>
    typeof json[field] === "string" && !response.ok ? (json[field] as string) : "";
  return {
    http: response.status,
    ok: response.ok,
    code: errorField("code"),
    message: errorField("message"),
    headers: response.headers,
    body: json,
  };
}

function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return { raw: text };
  }
}
