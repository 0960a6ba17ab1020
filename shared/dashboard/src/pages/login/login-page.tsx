import { useRouter, useSearch } from "@tanstack/react-router";
import { useEffect } from "react";
import { safeReturnPath } from "../../api/server/return-path.ts";
import { useIdentity, useServerInfo } from "../../api/server/server-info.ts";
import { FailureText } from "../../components/feedback/failure-text.tsx";
import { CredentialForms } from "../../features/sign-in/credential-forms.tsx";
import "../../features/sign-in/sign-in.css";

/** Page `/login`. It returns to `next`, the page that needed the login, at once for a user who is signed in. */
export function LoginPage() {
  const { next } = useSearch({ from: "/login" });
  const { history } = useRouter();
  const { info, locked, error } = useServerInfo();
  const identity = useIdentity();
  const path = safeReturnPath(next);
  const isSignedIn = !locked && (info?.authEnabled === false || identity !== undefined);
  useEffect(() => {
    document.title = "Sign in – Realmwatch";
  }, []);
  useEffect(() => {
    if (isSignedIn) history.replace(path);
  }, [isSignedIn, history, path]);
  return (
    <main className="card sign-in" id="main">
      <h1>Sign in to Realmwatch</h1>
      {error !== null && !locked && <FailureText error={error} what="The server cannot be reached." />}
      <CredentialForms />
    </main>
  );
}
