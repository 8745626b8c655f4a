package theme

// Discovery returns the look of a discovery: whether it is stale.
func Discovery(stale bool) State {
	if stale {
		return State{Warn.Glyph, "stale", Warn.Style}
	}
	return State{Yes.Glyph, "holds", Yes.Style}
}
