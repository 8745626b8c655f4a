package hook

import (
	"testing"

	"ocaptain/fleet/aboard/aboardtest"
	"ocaptain/fleet/aboard/run"
	"ocaptain/fleet/aboard/script"
	"ocaptain/fleet/aboard/serve"
)

func TestMain(m *testing.M) {
	aboardtest.Main(m, aboardtest.Programs{Run: run.Run, Serve: serve.Run, Hook: Answer, Script: script.Run})
}
