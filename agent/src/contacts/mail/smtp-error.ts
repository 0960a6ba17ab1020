import { type AttemptResult, reject, retry } from "../attempt-result.ts";
import { classifyConnectionFailure } from "../connect/connection-failure.ts";
import { quoteResponse } from "../http/quote-response.ts";

type SmtpError = {
  readonly code: string;
  /** 0 where the server did not answer. */
  readonly responseCode: number;
  readonly response: string;
  readonly message: string;
};

/** The fields of the library's errors. */
export function readSmtpError(error: unknown): SmtpError {
  const { code, responseCode, response, message } = (error ?? {}) as Record<string, unknown>;
  return {
    code: typeof code === "string" ? code : "",
    responseCode: typeof responseCode === "number" ? responseCode : 0,
    response: typeof response === "string" ? response : "",
    message: typeof message === "string" ? message : "",
  };
}

/** What TLS may say of a certificate; anything else of its words is not repeated. */
const tlsWords =
  /self[- ]signed certificate(?: in certificate chain)?|certificate has expired|certificate is not yet valid|does not match certificate|unable to (?:get|verify)[a-z ]*/i;

/** An answer of 5xx is final, one of 4xx is not, and without an answer it is the connection's fault. */
export function classifySmtpError(error: unknown, secrets: readonly string[]): AttemptResult {
  const { code, responseCode, response, message } = readSmtpError(error);
  const said = tlsWords.exec(message)?.[0].toLowerCase();
  if (code === "ETLS" || (code === "ESOCKET" && said !== undefined)) {
    return retry("tls", `TLS with the mail server failed${said === undefined ? "" : `: ${said}`}`);
  }
  if (responseCode === 0 && code === "EENVELOPE") return reject("setup", "a mail address is none");
  if (responseCode === 0 && code === "EMESSAGE") return reject("refused", "the mail server takes no mail of this size");
  if (responseCode === 0 && code === "EPROTOCOL") return retry("connect", "no SMTP spoken there");
  if (responseCode === 0 && code === "ETIMEDOUT") return retry("timeout", "the mail server did not answer in time");
  if (responseCode === 0 && code === "ECONNECTION") return retry("connect", "the mail server closed the connection");
  // The library puts a code of its own in place of the system's, which is left in the text.
  const systemCode = /\bE[A-Z]{4,20}\b/.exec(message)?.[0];
  if (responseCode === 0)
    return classifyConnectionFailure(systemCode === undefined ? error : Object.assign(new Error(), { code: systemCode }));
  const answer = `the mail server answered ${responseCode}${quoteResponse(response.replace(/^\d+[ -]?/, ""), secrets)}`;
  if (responseCode === 421) return retry("rate_limited", answer);
  return responseCode >= 500 ? reject("refused", answer) : retry("server", answer);
}
