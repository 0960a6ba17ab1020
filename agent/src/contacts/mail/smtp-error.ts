import { classifyConnectionFailure } from "../../platform/outbound/connection-failure.ts";
import { type AttemptResult, reject, retry } from "../../platform/outbound/delivery-result.ts";
import { contactLastingFailures } from "../http/json-http-client.ts";
import { quoteResponse } from "../http/quote-response.ts";

type SmtpError = {
  readonly code: string;
  /** 0 when the server did not respond. */
  readonly responseCode: number;
  readonly response: string;
  readonly message: string;
};

/** Reads the fields of an error of the SMTP library. */
export function readSmtpError(error: unknown): SmtpError {
  const { code, responseCode, response, message } = (error ?? {}) as Record<string, unknown>;
  return {
    code: typeof code === "string" ? code : "",
    responseCode: typeof responseCode === "number" ? responseCode : 0,
    response: typeof response === "string" ? response : "",
    message: typeof message === "string" ? message : "",
  };
}

/** TLS messages about certificates that may be quoted; others could contain an address. */
const quotableTlsMessages =
  /self[- ]signed certificate(?: in certificate chain)?|certificate has expired|certificate is not yet valid|does not match certificate|unable to (?:get|verify)[a-z ]*/i;

/** Classifies an SMTP error: a 5xx reply is final, a 4xx reply is retried; without a reply the connection failed. */
export function classifySmtpError(error: unknown, secrets: readonly string[]): AttemptResult {
  const { code, responseCode, response, message } = readSmtpError(error);
  const tlsMessage = quotableTlsMessages.exec(message)?.[0].toLowerCase();
  if (code === "ETLS" || (code === "ESOCKET" && tlsMessage !== undefined)) {
    return retry("tls", `TLS with the mail server failed${tlsMessage === undefined ? "" : `: ${tlsMessage}`}`);
  }
  if (responseCode === 0 && code === "EENVELOPE") return reject("setup", "a mail address is invalid");
  if (responseCode === 0 && code === "EMESSAGE")
    return reject("refused", "the mail server accepts no mail of this size");
  if (responseCode === 0 && code === "EPROTOCOL") return retry("connect", "the server does not speak SMTP");
  if (responseCode === 0 && code === "ETIMEDOUT") return retry("timeout", "the mail server did not answer in time");
  if (responseCode === 0 && code === "ECONNECTION") return retry("connect", "the mail server closed the connection");
  // The library replaces the system's error code with its own; only the message still has it.
  const systemCode = /\bE[A-Z]{4,20}\b/.exec(message)?.[0];
  if (responseCode === 0)
    return classifyConnectionFailure(
      systemCode === undefined ? error : Object.assign(new Error(), { code: systemCode }),
      contactLastingFailures,
    );
  const answer = `the mail server answered ${responseCode}${quoteResponse(response.replace(/^\d+[ -]?/, ""), secrets)}`;
  if (responseCode === 421) return retry("rate_limited", answer);
  return responseCode >= 500 ? reject("refused", answer) : retry("server", answer);
}
