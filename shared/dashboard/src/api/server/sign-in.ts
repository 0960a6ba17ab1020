import { createClient } from "@connectrpc/connect";
import { AuthService } from "@realmwatch/proto/svc/v1/auth_pb";
import { useQueryClient } from "@tanstack/react-query";
import { useAppContext } from "../context/app-context.tsx";
import { useServerInfo } from "./server-info.ts";

/** Changes of the user of this page. Each of them discards the responses that another user may have received. */
type SignIn = {
  /** Begins a session, which all tabs of the browser share. Rejects with the server's error. */
  withPassword(user: string, password: string): Promise<void>;
  /** Sends a token with each call of this tab. */
  withToken(token: string): Promise<void>;
  /** Ends the session and forgets the token. Rejects when the server could not be reached. */
  out(): Promise<void>;
};

export function useSignIn(): SignIn {
  const { transport, token } = useAppContext();
  const queryClient = useQueryClient();
  const auth = createClient(AuthService, transport);
  const refresh = () => queryClient.invalidateQueries();
  return {
    async withPassword(user, password) {
      // A token would be sent in place of the cookie.
      token.set("");
      await auth.login({ user, password });
      await refresh();
    },
    async withToken(text) {
      token.set(text);
      await refresh();
    },
    async out() {
      // With a token the browser sends no cookie, and an earlier session would stay.
      token.set("");
      await auth.logout({});
      queryClient.clear();
    },
  };
}

/**
 * Returns a function for failed commands that asks for the token of a server without identities. With identities the
 * page asks by itself when the session has ended.
 */
export function useTokenRequest(): (code: string) => void {
  const { dialog } = useAppContext();
  const queryClient = useQueryClient();
  const { info } = useServerInfo();
  return (code) => {
    if (code !== "unauthenticated") return;
    // With identities the next response shows that the session has ended.
    if (info?.authEnabled === true) void queryClient.invalidateQueries();
    else dialog.set({ kind: "token" });
  };
}
