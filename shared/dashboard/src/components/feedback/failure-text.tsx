import { serverFailureOf } from "../../api/server/server-failure.ts";

/** A failed call: code, message and advice, as text that can be copied. */
export function FailureText({ error, what }: { error: unknown; what: string }) {
  const { code, message, next } = serverFailureOf(error);
  return (
    <p className="failure" role="alert">
      <strong>{what}</strong> <code>{code}</code> {message} {next !== "" && <span className="muted">{next}</span>}
    </p>
  );
}
