package agent

import (
	"fmt"
	"regexp"
	"strings"

	"ocaptain/fleet/agent/agentlog"

	"ocaptain/tasks/pattern"
)

// Failure says in words why an agent cannot work.
type Failure struct {
	Text    string // what is wrong
	Fix     string // what to do about it
	Passing bool   // it passes by itself, so the work can wait
}

// Error returns the text, followed by the fix.
func (t *Failure) Error() string {
	if t.Fix == "" {
		return t.Text
	}
	return t.Text + "; " + t.Fix
}

// Diagnose says what is wrong after a headless run, nil if nothing is. end is the run's last event, nil when there
// was none; said is what it printed to standard error; key is the variable with which the agent logs in.
func (a Agent) Diagnose(end *End, said, key string) *Failure {
	if end != nil && !end.Failed {
		return nil
	}
	text, status := said, 0
	if end != nil {
		if text, status = end.Text, end.Status; text == "" {
			text = said
		}
	}
	quote := quoteBeginning(text)
	if status >= 500 {
		return &Failure{Text: fmt.Sprintf("the service of %s fails now", a.Name) + quote, Fix: "try again later; a voyage waits for it", Passing: true}
	}
	for _, k := range kinds {
		if k.status != 0 && k.status == status || k.text != nil && k.text().MatchString(text) {
			fix := k.fix
			if fix == "" {
				fix = loginFix(key)
			}
			return &Failure{Text: fmt.Sprintf(k.says, a.Name) + quote, Fix: fix, Passing: k.passing}
		}
	}
	if quote == "" {
		return &Failure{Text: a.Name + " gave no answer", Fix: "start it by hand to see what it says"}
	}
	return &Failure{Text: a.Name + " does not work" + quote, Fix: "start it by hand to see more"}
}

// kinds are the known failures. The first that matches counts; text is checked before status if one status has
// several meanings.
var kinds = []struct {
	status  int
	text    func() *regexp.Regexp
	says    string
	fix     string
	passing bool
}{
	{
		text: agentlog.TooOld,
		says: "the service takes this version of %s no longer", fix: "choose a newer one: --agent-version latest",
	},
	{
		text: pattern.New(`(?i)credit balance|billing`),
		says: "the account of %s has no credit", fix: "add credit at the provider, or use another login",
	},
	{
		text: pattern.New(`(?i)hit your .*limit|usage limit|limit reached|rate.?limit`), status: 429,
		says: "%s is at its usage limit", fix: "wait for the reset, or use another login; a voyage waits for it", passing: true,
	},
	{
		text: pattern.New(`(?i)not logged in|run /login|invalid api key|invalid authentication|oauth token|authentication_error`), status: 401,
		says: "the login of %s is refused", // the fix depends on the kind of login
	},
	{
		text: pattern.New(`(?i)permission_error|forbidden`), status: 403,
		says: "the login of %s may not do this", fix: "ask whoever manages the account for access, or use another login",
	},
	{
		text: pattern.New(`(?i)issue with the selected model|model.*(not exist|not found|not available|not have access)|not_found_error`), status: 404,
		says: "%s cannot use the model", fix: "choose another one with --model, or none for its own choice",
	},
	{
		text: pattern.New(`(?i)unable to connect|connection (error|refused|reset|closed)|ECONN|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|timed? ?out|fetch failed|certificate|socket`),
		says: "%s cannot reach its service", fix: "check the network, and ANTHROPIC_BASE_URL if it is set",
	},
}

// loginFix says what to do when the service refuses a login. key is the variable that holds it, "" if the program has
// a login of its own.
func loginFix(key string) string {
	switch key {
	case "":
		return "log in again: start claude and type /login; or make a token with: claude setup-token"
	case "CLAUDE_CODE_OAUTH_TOKEN":
		return "make a new token with: claude setup-token; then set CLAUDE_CODE_OAUTH_TOKEN to it and try again"
	case "ANTHROPIC_API_KEY":
		return "make a new key at the provider's console, set ANTHROPIC_API_KEY to it and try again"
	}
	return "renew the login that " + key + " stands for, and try again"
}

// quoteBeginning quotes the beginning of what a program said, on one line; "" for nothing.
func quoteBeginning(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if text == "" {
		return ""
	}
	if r := []rune(text); len(r) > 200 {
		text = string(r[:199]) + "…"
	}
	return " (" + text + ")"
}
