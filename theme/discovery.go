package theme

// Discovery is the state of what somebody has found out: whether it is stale.
func Discovery(stale bool) State {
	if stale {
		return State{Warn.Glyph, "stale", Warn.Style}
	}
	return State{Yes.Glyph, "holds", Yes.Style}
}
