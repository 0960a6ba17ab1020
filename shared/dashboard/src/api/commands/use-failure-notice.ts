import { useAppContext } from "../context/app-context.tsx";
import { addNotice } from "../context/notice.ts";
import { serverFailureOf } from "../server/server-failure.ts";
import { useTokenRequest } from "../server/sign-in.ts";

/** Returns a function that says in a notice what failed and why, and asks for a token where one is missing. */
export function useFailureNotice(): (what: string, error: unknown) => void {
  const { notices } = useAppContext();
  const requestToken = useTokenRequest();
  return (what, error) => {
    const { code, message } = serverFailureOf(error);
    addNotice(notices, "failed", `${what}: ${code}: ${message}`);
    requestToken(code);
  };
}
