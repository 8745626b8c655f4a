package agent

import (
	_ "embed"
	"encoding/json"
	"path/filepath"
)

// searchServer is what agents call the server of MCP that finds code. Prompts written for ChunkHound name its tools so.
const searchServer = "ChunkHound"

//go:embed search.md
var searchText string

// mcpServers is the server for a file in the format of most agents.
func mcpServers(ocaptain string) map[string]any {
	return map[string]any{searchServer: map[string]any{"command": ocaptain, "args": []string{"mcp"}}}
}

func claudeSearchFile(home string) string { return filepath.Join(home, ".ocaptain", "claude-mcp.json") }

// claudeSearch returns the content of that file. Claude Code takes no other server than these: for a server of a repository it would
// ask for permission.
func claudeSearch(s Setup) ([]byte, error) {
	return json.MarshalIndent(map[string]any{"mcpServers": mcpServers(s.Ocaptain)}, "", "  ")
}
