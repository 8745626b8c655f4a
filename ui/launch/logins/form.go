package logins

import "strings"

// recopy is the advice for most faults of a token.
const recopy = "copy it again, without quotes, spaces or line ends"

// WrongForm says what must be wrong with a token and what to do about it, "" for a token that may be right. It
// repeats no part of the token. With gateway, every form may be right.
func WrongForm(name, value string, gateway bool) (wrong, fix string) {
	if strings.HasPrefix(name, "CLAUDE_CODE_USE_") {
		return "", "" // the variable is a switch, not a token
	}
	for _, r := range value {
		if r <= ' ' || r > '~' {
			return "has spaces, line ends or characters that no token has", recopy
		}
	}
	switch {
	case strings.ContainsAny(value, `"'`+"`$"):
		return "has quotes or a dollar sign in it", recopy
	case len(value) < 8:
		return "is too short for a token", recopy
	case gateway:
		return "", ""
	}
	const key, token, admin = "sk-ant-api", "sk-ant-oat", "sk-ant-admin"
	switch name {
	case "CLAUDE_CODE_OAUTH_TOKEN":
		switch {
		case strings.HasPrefix(value, token):
		case strings.HasPrefix(value, "sk-ant-"):
			return "holds an API key; that belongs into ANTHROPIC_API_KEY", "put it there and unset CLAUDE_CODE_OAUTH_TOKEN, or make a token with: claude setup-token"
		default:
			return "does not begin with " + token, "make a new one with: claude setup-token"
		}
	case "ANTHROPIC_API_KEY":
		switch {
		case strings.HasPrefix(value, token):
			return "holds a token of a subscription; that belongs into CLAUDE_CODE_OAUTH_TOKEN", "put it there and unset ANTHROPIC_API_KEY"
		case strings.HasPrefix(value, admin):
			return "holds an admin key, which models do not take", "make a usual key (" + key + "…) at the provider"
		case !strings.HasPrefix(value, "sk-ant-"):
			return "does not begin with " + key + ", so it is a key of something else", "copy the key of this service, or set ANTHROPIC_BASE_URL if it is a gateway's"
		}
	}
	return "", ""
}
