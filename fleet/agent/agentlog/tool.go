package agentlog

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// telling names the main argument of each tool.
var telling = map[string]string{
	"Read": "file_path", "Write": "file_path", "Edit": "file_path", "NotebookEdit": "notebook_path",
	"Bash": "command", "Grep": "pattern", "Glob": "pattern", "WebFetch": "url", "WebSearch": "query",
	"Task": "description", "Agent": "description", "Skill": "skill",
	"search_semantic": "query", "search_regex": "pattern", "code_research": "query", "search": "query",
	"TaskGet": "taskId", "TaskUpdate": "taskId", "TaskCreate": "subject",
}

// Describe returns a tool call as a line, such as "Read src/auth.go". Paths in the workspace are shown relative to
// it.
func Describe(tool string, in map[string]json.RawMessage, workspace string) string {
	tool = strings.TrimPrefix(tool, "mcp__"+SearchServer+"__")
	arg := jsonText(in[telling[tool]])
	if rel, err := filepath.Rel(workspace, arg); err == nil && filepath.IsAbs(arg) && filepath.IsLocal(rel) {
		arg = rel
	}
	if status := jsonText(in["status"]); tool == "TaskUpdate" && status != "" {
		arg += " " + status
	}
	return strings.TrimSpace(Shorten(tool, 100) + " " + FirstLine(arg))
}

// FirstLine returns the first line of a text, cut to a length for a log.
func FirstLine(s string) string {
	s, rest, _ := strings.Cut(strings.TrimSpace(s), "\n")
	if rest != "" {
		s += " …"
	}
	return Shorten(s, 300)
}

// jsonText returns a JSON string as text, "" for any other value.
func jsonText(raw json.RawMessage) string {
	var s string
	_ = json.Unmarshal(raw, &s)
	return s
}

// Shorten shortens s to about most bytes, at the edge of a rune.
func Shorten(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + "…"
}

// SearchServer is the name of the MCP server that searches code, as agents know it. Prompts written for ChunkHound use
// this name.
const SearchServer = "ChunkHound"
