package aboard

import "ocaptain/fleet/agent"

// meter counts the tokens of an agent that takes turns, over its sessions.
type meter struct {
	sum   agent.Tokens
	whole map[string]agent.Tokens // by session, for programs that count a whole session
}

// add takes in what a turn told and returns what the turn used. With whole the number is
// that of the session up to now.
func (m *meter) add(session string, told agent.Tokens, whole bool) agent.Tokens {
	used := told
	if whole {
		if m.whole == nil {
			m.whole = map[string]agent.Tokens{}
		}
		before := m.whole[session]
		used = agent.Tokens{
			Input: max(0, told.Input-before.Input), Output: max(0, told.Output-before.Output),
			CacheRead: max(0, told.CacheRead-before.CacheRead), CacheWrite: max(0, told.CacheWrite-before.CacheWrite),
		}
		m.whole[session] = told
	}
	m.sum = m.sum.Add(used)
	return used
}
