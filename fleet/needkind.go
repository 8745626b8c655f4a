package fleet

// NeedKind says in what way something needs the captain.
type NeedKind string

// The kinds of needs. Package need says what each means.
const (
	NeedHelm        NeedKind = "helm"
	NeedDisk        NeedKind = "disk"
	NeedRedis       NeedKind = "redis"
	NeedRepository  NeedKind = "repository"
	NeedShips       NeedKind = "no ships"
	NeedStuck       NeedKind = "stuck"
	NeedAnswer      NeedKind = "question"
	NeedInterrupted NeedKind = "interrupted"
	NeedLogin       NeedKind = "login"
	NeedLimited     NeedKind = "limited"
	NeedSteering    NeedKind = "steering"
	NeedPlan        NeedKind = "plan"
	NeedHold        NeedKind = "on hold"
	NeedConflict    NeedKind = "conflict"
	NeedInTheWay    NeedKind = "in the way"
	NeedTree        NeedKind = "tree"
	NeedVerify      NeedKind = "verify"
	NeedUnverified  NeedKind = "unverified"
	NeedBeads       NeedKind = "beads"
	NeedFailed      NeedKind = "failed"

	NeedConversation NeedKind = "conversation"
	NeedExited       NeedKind = "exited"
	NeedLeftAlone    NeedKind = "left alone"
	NeedStalled      NeedKind = "stalled"
	NeedUncommitted  NeedKind = "uncommitted"
	NeedFlood        NeedKind = "flood"
	NeedFull         NeedKind = "full"
	NeedUnreachable  NeedKind = "unreachable"
	NeedMachine      NeedKind = "machine"
	NeedOrphans      NeedKind = "orphans"
	NeedRecords      NeedKind = "records"
	NeedCost         NeedKind = "cost"
	NeedProposal     NeedKind = "proposal"
	NeedBudget       NeedKind = "budget"
	NeedRate         NeedKind = "rate"
)
