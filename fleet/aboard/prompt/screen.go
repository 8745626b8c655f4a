package prompt

import (
	"strings"

	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/clean"
	"ocaptain/tasks/pattern"
)

// screenLines is how many of a screen's last lines are read, without blank lines at the end.
const screenLines = 30

// Reasons why an agent waits that are shown for an unknown menu or a request for permission. The question itself is
// reported separately.
const (
	aMenu       = "asks a question"
	aPermission = "asks for a permission"
)

// questions are the screens of Claude Code 2.1.329 that wait for a person without any hook reporting it. Most appear
// before its session begins. A screen matches if it has all the words.
var questions = []struct {
	words []string
	why   string
}{
	{[]string{"Is this a project you created or one you trust?"}, "asks whether the workspace is trusted"},
	{[]string{"running in Bypass Permissions mode", "Yes, I accept"}, "asks to accept the mode without permissions"},
	{[]string{"Detected a custom API key in your environment"}, "asks whether to use the API key"},
	{[]string{"Select login method:"}, "asks for a login"},
	{[]string{"Paste code here if prompted"}, "asks for the code of a login"},
	{[]string{"Choose the text style that looks best"}, "asks for a text style, as at a first start"},
	{[]string{"Choose the option that looks best"}, "asks for a text style, as at a first start"},
	{[]string{"What do you want to do?", "wait for limit to reset"}, ""}, // a hook reports the limit; typing closes the menu
	{[]string{"Settings Error", "Exit and fix"}, "says that a settings file is wrong"},
	{[]string{"Unable to connect to Anthropic services"}, "cannot reach its service"},
	{[]string{"Do you want to ", "❯ 1. Yes"}, aPermission},
	{[]string{"Update available", "❯ "}, "asks about an update"},
	// Unknown menus: a choice is marked, and the screen asks for Enter.
	{[]string{"❯ ", "Enter to confirm"}, aMenu},
}

// Question says in words what a screen asks a person, "" if it asks nothing.
func Question(screen string) string {
	text := lastLines(screen)
	for _, q := range questions {
		all := true
		for _, w := range q.words {
			all = all && strings.Contains(text, w)
		}
		if all && (q.why == aMenu || q.why == aPermission) {
			return q.why + asked(text)
		}
		if all {
			return q.why
		}
	}
	return ""
}

// asked returns the question above the first choice of an unknown menu, after a colon; "" if there is none.
func asked(text string) string {
	menu := text[:max(0, strings.LastIndex(text, "❯ "))]
	end := strings.LastIndex(menu, "?")
	if end < 0 {
		return ""
	}
	line := menu[strings.LastIndexByte(menu[:end], '\n')+1 : end+1]
	return ": " + strings.ToValidUTF8(shipdir.Cut(clean.Line(strings.Trim(line, " \t│╭╰─☐")), 200), "\uFFFD")
}

// retrying matches the line above the prompt in which Claude Code says that it repeats a request to the service. No
// hook reports these retries, which may last for minutes.
var retrying = pattern.New(`^\S (.{1,80}?) · retrying(?:…| in [0-9dhms ]{1,12}) · attempt (\d{1,3})/(\d{1,3})$`)

// TryingAgain says in words that the agent repeats a request, "" when it does not.
func TryingAgain(screen string) string {
	for line := range strings.Lines(lastLines(screen)) {
		if m := retrying().FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			what := m[1]
			if strings.Contains(what, "529") || strings.Contains(strings.ToLower(what), "overloaded") {
				what = "API overloaded"
			}
			return what + ", trying again (" + m[2] + " of " + m[3] + ")"
		}
	}
	return ""
}

// lastLines returns the last lines of a screen that are not blank.
func lastLines(screen string) string {
	var lines []string
	for line := range strings.Lines(screen) {
		if strings.TrimSpace(line) != "" {
			lines = append(lines, strings.TrimRight(line, " \r\n"))
		}
	}
	return strings.Join(lines[max(0, len(lines)-screenLines):], "\n")
}
