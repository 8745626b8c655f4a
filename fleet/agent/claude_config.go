package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ocaptain/sync/whole"
)

func claudeSettingsFile(home string) string {
	return filepath.Join(home, ".ocaptain", "claude-settings.json")
}

// prepareClaude writes the settings with the hooks. It also writes answers to the questions of a first start to the
// file in which Claude Code keeps them.
func prepareClaude(s Setup) error {
	raw, err := json.MarshalIndent(claudeSettings(s), "", "  ")
	if err != nil {
		return fmt.Errorf("claude settings: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(claudeSettingsFile(s.Home)), 0o700); err != nil {
		return fmt.Errorf("claude settings: %w", err)
	}
	if err := whole.Write(claudeSettingsFile(s.Home), raw, 0o600); err != nil {
		return fmt.Errorf("claude settings: %w", err)
	}
	if s.Search {
		raw, err := claudeSearch(s)
		if err == nil {
			err = whole.Write(claudeSearchFile(s.Home), raw, 0o600)
		}
		if err != nil {
			return fmt.Errorf("claude's tools: %w", err)
		}
	}
	if err := answerClaude(filepath.Join(s.Home, ".claude.json"), s); err != nil {
		return fmt.Errorf("claude state: %w", err)
	}
	return nil
}

// answerClaude merges the answers into Claude Code's own file, which Claude Code itself rewrites often.
func answerClaude(path string, s Setup) error {
	state, err := readObject(path)
	if err != nil {
		return err
	}
	state["hasCompletedOnboarding"] = true
	project := object(object(state, "projects"), s.Workspace)
	project["hasTrustDialogAccepted"] = true
	if key := s.Secrets["ANTHROPIC_API_KEY"]; key != "" {
		tail := key[max(0, len(key)-20):] // Claude Code remembers a key by its end
		answers := object(state, "customApiKeyResponses")
		approved, _ := answers["approved"].([]any)
		if !slices.Contains(approved, any(tail)) {
			answers["approved"] = append(approved, tail)
		}
		if _, ok := answers["rejected"].([]any); !ok {
			answers["rejected"] = []any{}
		}
	}
	raw, err := json.MarshalIndent(state, "", "  ")
	if err != nil {
		return err
	}
	return whole.Write(path, raw, 0o600)
}

// readObject reads a JSON object. It moves an unreadable file aside, since Claude Code would not
// start with it either.
func readObject(path string) (map[string]any, error) {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]any{}, nil
	}
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber() // keep large numbers exact
	var o map[string]any
	if d.Decode(&o) == nil && o != nil {
		return o, nil
	}
	return map[string]any{}, os.Rename(path, path+".unreadable")
}

// object returns the object at key, making it when there is none.
func object(in map[string]any, key string) map[string]any {
	o, ok := in[key].(map[string]any)
	if !ok {
		o = map[string]any{}
		in[key] = o
	}
	return o
}

// claudeSettings returns settings for the command line, where they override those of the workspace: the workspace can
// neither turn off the hooks nor change the task list.
func claudeSettings(s Setup) map[string]any {
	type command struct {
		Type    string `json:"type"`
		Command string `json:"command"`
		Timeout int    `json:"timeout"` // seconds
	}
	type entry struct {
		Matcher string    `json:"matcher,omitempty"`
		Hooks   []command `json:"hooks"`
	}
	hooks := map[string][]entry{}
	add := func(event, matcher, word string) {
		c := command{"command", hookCommand(s.Ocaptain, word), int(HookLimits(word).Wait / time.Second)}
		hooks[event] = append(hooks[event], entry{matcher, []command{c}})
	}
	if s.List != "" {
		add("PreToolUse", "TaskUpdate|TaskCreate", HookClaim)
		add(HookDone, "", HookDone)
	}
	add("PreToolUse", "", HookTool)
	for _, word := range []string{
		HookStop, HookSession, HookPrompt, HookNotice, HookFailed, HookEnd, HookCompact,
		HookShorter, HookHelper, HookHelped, HookDenied, HookModel,
	} {
		add(word, "", word)
	}
	return map[string]any{
		"disableAllHooks":                   false,
		"skipDangerousModePermissionPrompt": true,
		"awaySummaryEnabled":                false, // this would be a request some minutes after the last turn, which is billed and in no transcript
		"env":                               claudeEnv(s),
		"hooks":                             hooks,
		"permissions":                       map[string]any{"deny": s.Tools.denied(s.Notebooks)},
		"statusLine":                        map[string]string{"type": "command", "command": hookCommand(s.Ocaptain, HookStatus)},
	}
}

// hookCommand returns the shell command line of a hook. It is short, since a gate's refusal contains it and costs the
// agent tokens. Claude Code lets a tool run when a hook is missing, crashes, is killed or prints nonsense. Only exit
// code 2 or a printed refusal stops the tool, so the command exits with 2 unless the gate has decided.
func hookCommand(ocaptain, word string) string {
	line := quoteWord(ocaptain) + " aboard hook " + word
	if IsGate(word) {
		line = fmt.Sprintf("timeout -s KILL %d %s; [ $? = %d ] || exit 2", int(HookLimits(word).Kill/time.Second), line, Decided)
	}
	return line
}

// quoteWord quotes s as one word for a POSIX shell.
func quoteWord(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
