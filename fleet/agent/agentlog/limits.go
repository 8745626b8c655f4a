package agentlog

import (
	"strings"
	"time"

	"ocaptain/tasks/pattern"
)

// Trouble says what an error that ended a turn means for the captain.
type Trouble struct {
	Kind  TroubleKind
	Why   string    // in words
	Until time.Time // when the trouble passes, according to the program; zero if unknown
}

// TroubleKind is a kind of trouble, by what can be done about it.
type TroubleKind string

// The kinds.
const (
	TroubleUsage  TroubleKind = "usage"  // a usage limit: passes at its reset, at the same time for all ships that share the account
	TroubleAPI    TroubleKind = "api"    // the service or the network: passes by itself
	TroublePerson TroubleKind = "person" // a login, a payment, a permission: only a person can help
	TroubleFull   TroubleKind = "full"   // the conversation is full and could not be compacted: it cannot continue
	TroubleTurn   TroubleKind = "turn"   // this turn failed: trying again may help
)

// ClaudeTrouble interprets Claude Code's event StopFailure. kind is its field error, details its error_details, and
// said its last_assistant_message.
//
// The kinds are listed in the settings of 2.1.329. Often the text says more: 529 and dead connections both
// come as server_error, and a 403 as authentication_failed.
func ClaudeTrouble(kind, details, said string, now time.Time) Trouble {
	said = strings.TrimSpace(said)
	low := strings.ToLower(said)
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(low, w) {
				return true
			}
		}
		return false
	}
	because := func(k TroubleKind, why string) Trouble { return Trouble{Kind: k, Why: strings.TrimSuffix(why, ": ")} }
	if old := TooOld().FindString(said + " " + details); old != "" {
		return because(TroublePerson, "this version is no longer taken: "+old+"; give it a newer one with ship replace --agent-version latest")
	}
	switch kind {
	case "rate_limit":
		if limit, ok := usageLimit(said); ok {
			return Trouble{TroubleUsage, limit, ResetTime(said, now)}
		}
		return Trouble{TroubleAPI, "API rate limit", ResetTime(said, now)}
	case "overloaded":
		return because(TroubleAPI, "API overloaded")
	case "server_error":
		switch {
		case has("529", "overloaded", "at capacity"):
			return because(TroubleAPI, "API overloaded")
		case has("connection", "network", "connect", "timed out", "timeout", "waited", "stream"):
			return because(TroubleAPI, "API cannot be reached")
		}
		return because(TroubleAPI, "API error: "+inShort(said))
	case "authentication_failed":
		switch {
		case has("not logged in"):
			return because(TroublePerson, "not logged in: the agent has no valid token")
		case has("403"):
			return because(TroublePerson, "access refused (403): "+inShort(said))
		case has("expired", "revoked"):
			return because(TroublePerson, "its login has expired or was revoked")
		}
		return because(TroublePerson, "its token or key is not accepted: "+inShort(said))
	case "billing_error":
		return because(TroublePerson, "billing: "+inShort(said))
	case "oauth_org_not_allowed":
		return because(TroublePerson, "its organization does not allow this login")
	case "account_on_hold":
		return because(TroublePerson, "the account is on hold")
	case "verification_required":
		return because(TroublePerson, "the account must be verified: "+inShort(said))
	case "cloud_credential_error":
		return because(TroublePerson, "cloud credentials: "+inShort(said))
	case "model_not_found":
		return because(TroublePerson, "the model does not exist or is not available to this login")
	case "max_output_tokens":
		return because(TroubleTurn, "the answer was too long and was cut off")
	case "invalid_request":
		switch {
		case has("prompt is too long", "context limit") || strings.Contains(details, "prompt is too long"):
			return because(TroubleFull, "the conversation is too long and could not be compacted")
		case has("request too large"):
			return because(TroubleTurn, "the request is too large")
		}
	}
	if said == "" {
		said = strings.TrimSpace(kind + " " + details)
	}
	return because(TroubleTurn, inShort(said))
}

// TooOld matches the answer by which the service refuses an old version, found in 2.1.332.
var TooOld = pattern.New(`\bClaude Code \S+ (?:does not support this model; version \S+ or newer is required|is older than the minimum version required by your organization's policy|or later is required for your organization)`)

// usageLimit returns the name of the limit in "You've hit your weekly limit · resets …".
func usageLimit(said string) (string, bool) {
	said = strings.ReplaceAll(said, "’", "'")
	for _, before := range []string{"You've hit your ", "You've reached your ", "You're out of "} {
		_, rest, ok := strings.Cut(said, before)
		if !ok {
			continue
		}
		name, _, _ := strings.Cut(rest, " · ")
		name, _, _ = strings.Cut(firstLine(name), ".")
		if before == "You're out of " {
			name = "out of " + name
		}
		if name = strings.TrimSpace(name); name == "" || len(name) > 60 {
			name = "usage limit"
		}
		return name, true
	}
	if strings.Contains(strings.ToLower(said), "usage limit") && !strings.Contains(said, "not your usage limit") {
		return "usage limit", true
	}
	return "", false
}

// inShort returns about the first sentence of what the program says, without its advice for a user at the terminal.
func inShort(said string) string {
	said = strings.TrimPrefix(firstLine(said), "API Error: ")
	for _, advice := range []string{". This is a server-side issue", " · Please run", " · Fix external", ". If it persists"} {
		said, _, _ = strings.Cut(said, advice)
	}
	said = strings.TrimPrefix(said, "Please run /login · API Error: ")
	if r := []rune(said); len(r) > 200 {
		said = string(r[:200]) + "…"
	}
	return strings.TrimSpace(said)
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return strings.TrimSpace(s)
}
