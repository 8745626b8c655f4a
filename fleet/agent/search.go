package agent

import (
	_ "embed"
	"encoding/json"
	"path/filepath"

	"ocaptain/fleet/agent/agentlog"
)

//go:embed search.md
var searchText string

// mcpServers returns the entry for the search server, in the format of most agents' settings.
func mcpServers(ocaptain string) map[string]any {
	return map[string]any{agentlog.SearchServer: map[string]any{"command": ocaptain, "args": []string{"mcp"}}}
}

func claudeSearchFile(home string) string { return filepath.Join(home, ".ocaptain", "claude-mcp.json") }

// claudeSearch returns the content of that settings file. Claude Code uses no server beside these: for a server of the repository it
// would ask for permission.
func claudeSearch(s Setup) ([]byte, error) {
	return json.MarshalIndent(map[string]any{"mcpServers": mcpServers(s.Ocaptain)}, "", "  ")
}
