import { callFailureOf } from "../../api/server/call-failure.ts";

/** A failed call: code, message and what to do, as text that can be copied. */
export function FailureText({ error, what }: { error: unknown; what: string }) {
  const { code, message, next } = callFailureOf(error);
  return (
    <p className="failure" role="alert">
      <strong>{what}</strong> <code>{code}</code> {message} {next !== "" && <span className="muted">{next}</span>}
    </p>
  );
}
