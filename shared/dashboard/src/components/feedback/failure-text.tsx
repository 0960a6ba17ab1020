import { useAppContext } from "../../api/context/app-context.tsx";
import { failureOriginOf } from "../../api/server/failure-origin.ts";
import { serverFailureOf } from "../../api/server/server-failure.ts";
import { CopyButton } from "../controls/copy-button.tsx";
import { isoInstant } from "../time/format-date-time.ts";

/** A failed call: code, message and advice; a button copies them with the request and its time. */
export function FailureText({ error, what }: { error: unknown; what: string }) {
  const { code, message, next } = serverFailureOf(error);
  return (
    <div className="failure">
      <p role="alert">
        <strong>{what}</strong> <code>{code}</code> {message} {next !== "" && <span className="muted">{next}</span>}
      </p>
      <CopyFailure error={error} what={what} />
    </div>
  );
}

/** Copies the details of a failed call for a report: code, message, request, time and address of the page. */
export function CopyFailure({ error, what }: { error: unknown; what: string }) {
  const { clock } = useAppContext();
  const details = (): string => {
    const { code, message } = serverFailureOf(error);
    const origin = failureOriginOf(error);
    const lines = [
      what,
      `code: ${code}`,
      `message: ${message}`,
      origin && `request: ${origin.request}`,
      `time: ${isoInstant(origin?.atMs ?? clock.now())}`,
      `page: ${location.href}`,
    ];
    return lines.filter((line) => line !== undefined).join("\n");
  };
  return <CopyButton text={details} label="Copy details" />;
}
