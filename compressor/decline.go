package compressor

// Reason is a code that says why a payload has no view. Its bytes then go on
// unchanged. docs/FORMAT.md lists the codes.
type Reason string

const (
	ReasonInvalidJSON     Reason = "invalid_json"
	ReasonNotAXTree       Reason = "not_ax_tree"
	ReasonMissingNodeID   Reason = "missing_node_id"
	ReasonDuplicateNodeID Reason = "duplicate_node_id"
	ReasonEmptyRole       Reason = "empty_role"
	ReasonNoLiveNodes     Reason = "no_live_nodes"
	ReasonNoRecords       Reason = "no_records"
	ReasonNotSmaller      Reason = "not_smaller" // found by the caller, which has both sizes
	ReasonNoStore         Reason = "no_store"    // found by the caller, which has the store
)

// Decline is the error of a payload that has no view.
type Decline struct {
	Reason Reason
	Detail string // where or what, for people; outside text in it is quoted
}

func (d *Decline) Error() string {
	if d.Detail == "" {
		return string(d.Reason)
	}
	return string(d.Reason) + ": " + d.Detail
}
