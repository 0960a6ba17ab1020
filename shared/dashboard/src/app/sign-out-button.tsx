import { useNavigate } from "@tanstack/react-router";
import { useAppContext } from "../api/context/app-context.tsx";
import { addNotice } from "../api/context/notice.ts";
import { serverFailureOf } from "../api/server/server-failure.ts";
import { useIdentity } from "../api/server/server-info.ts";
import { useSignIn } from "../api/server/sign-in.ts";

/** Ends the session in all tabs and leads to the login page; hidden without an identity. */
export function SignOutButton() {
  const { notices } = useAppContext();
  const navigate = useNavigate();
  const signIn = useSignIn();
  const identity = useIdentity();
  if (identity === undefined) return null;
  const signOut = async (): Promise<void> => {
    try {
      await signIn.out();
      await navigate({ to: "/login", search: {} });
    } catch (error) {
      const { code, message } = serverFailureOf(error);
      addNotice(notices, { tone: "failed", text: `Signing out failed: ${code}: ${message}` });
    }
  };
  return (
    <button type="button" className="icon-button" onClick={() => void signOut()}>
      Sign out
    </button>
  );
}
