package agentlog

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ocaptain/tasks/pattern"
)

// ClaudeTranscript describes the transcripts of Claude Code 2.1.329, as observed:
//
//   - A session is one file, projects/<directory>/<session>.jsonl, to which a resumed session
//     is appended; nothing of what was there is written again. /clear begins a new session.
//   - A forked session is a new file that begins with copies of the lines of the old one: the
//     ids of messages and calls are the same, the ids of the session are not.
//   - A subagent has its own file, projects/<directory>/<session>/subagents/agent-<id>.jsonl,
//     with isSidechain set on its lines; those of a workflow are said to be in directories below
//     (that is from reading the program, not from running it). It stays where it was when the session is forked.
//   - An answer is one line for each of its blocks, each with the same message id and the same
//     usage, the final one. Lines are written up to some three seconds late, so that the last
//     answer before a kill -9 may be missing; the resumed session does not know of it either.
//   - What a compaction costs stands in no line of its own, only in the cost that the status
//     line and cost-state tell.
var ClaudeTranscript = Transcript{
	Files:  claudeFiles,
	Dirs:   claudeDirs,
	Reader: func(workspace string) func([]byte) Step { return newClaudeReader(workspace).readLine },
	Queue:  claudeQueue,
}

func claudeProjects(home string) string { return filepath.Join(home, ".claude", "projects") }

func claudeFiles(home, session string) []string {
	if !SessionID().MatchString(session) {
		return nil
	}
	root := EscapeGlob(claudeProjects(home))
	files, _ := filepath.Glob(filepath.Join(root, "*", session+".jsonl"))
	subs, _ := filepath.Glob(filepath.Join(root, "*", session, "subagents"))
	for _, dir := range subs {
		_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			switch depth := strings.Count(path[len(dir):], string(filepath.Separator)); {
			case err == nil && e.IsDir() && depth > maxDepth:
				return fs.SkipDir
			case err == nil && !e.IsDir() && strings.HasPrefix(e.Name(), "agent-") && strings.HasSuffix(path, ".jsonl"):
				files = append(files, path)
			}
			return nil
		})
	}
	return files
}

// maxDepth bounds how many directories deep the files of subagents are searched for.
const maxDepth = 4

// notAlphanumeric matches what Claude Code replaces in the name of a directory.
var notAlphanumeric = pattern.New(`[^a-zA-Z0-9]`)

func claudeDirs(home, workspace, session string) []string {
	root := claudeProjects(home)
	if real, err := filepath.EvalSymlinks(workspace); err == nil {
		workspace = real
	}
	dirs := []string{root, filepath.Join(root, notAlphanumeric().ReplaceAllString(workspace, "-"))}
	if !SessionID().MatchString(session) {
		return dirs
	}
	for _, file := range claudeFiles(home, session) {
		dirs = append(dirs, filepath.Dir(file))
	}
	for _, d := range dirs[1:] {
		if filepath.Dir(d) == root {
			dirs = append(dirs, filepath.Join(d, session, "subagents"))
		}
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

// ClaudeSavedCost returns the cost of a session in US dollars that Claude Code saved when the session last ended
// normally, 0 if there is none. A resumed session continues from that cost.
func ClaudeSavedCost(path string) float64 {
	f, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	saved := 0.0
	_, _ = ReadLines(f, func(line []byte) {
		if len(line) > 64<<10 {
			return
		}
		var l struct {
			Type string  `json:"type"`
			Cost float64 `json:"totalCostUSD"`
		}
		if json.Unmarshal(line, &l) == nil && l.Type == "cost-state" {
			saved = l.Cost
		}
	})
	return saved
}

// SessionID matches ids of sessions, which are used in file names.
var SessionID = pattern.New(`^[0-9a-fA-F-]{36}$`)

// EscapeGlob returns a pattern that matches only the path itself.
func EscapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
