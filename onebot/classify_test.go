package onebot

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every kind of event has a class (row Q6). Text, placeholders of pictures, mentions and quotes are received;
// messages of the account itself are own; recalls, joins, requests and other system events are ignored.
func TestClassify_EveryKind(t *testing.T) {
	group := func(sub string, m ...Segment) Event {
		return &GroupMessage{Common: that, SubType: sub, GroupID: 1, UserID: 2, Message: m}
	}
	seen := map[string]bool{}
	for _, c := range []struct {
		name string
		e    Event
		want EventClass
	}{
		{"text", group("normal", Text("在吗")), ClassReceived},
		{"picture", group("normal", Image("a.jpg")), ClassReceived},
		{"mention", group("normal", At(10000)), ClassReceived},
		{"quote", group("normal", Reply(7)), ClassReceived},
		{"market face", group("normal", Segment{Type: "mface"}), ClassReceived},
		{"new kind of segment", group("normal", Segment{Type: "brand_new"}), ClassReceived},
		{"anonymous", group("anonymous", Text("在吗")), ClassReceived},
		{"line of the system", group("notice", Text("甲撤回了一条消息")), ClassIgnored},
		{"nothing that can be shown", group("normal"), ClassIgnored},
		{"empty text", group("normal", Text("")), ClassIgnored},
		{"own, by id", &GroupMessage{Common: that, UserID: 10000, Message: Message{Text("在")}}, ClassOwn},
		{"own, by post_type", &GroupMessage{Common: that, own: true, Message: Message{Text("在")}}, ClassOwn},
		{"own and empty", &GroupMessage{Common: that, own: true}, ClassIgnored},
		{"friend", &PrivateMessage{Common: that, UserID: 2, Message: Message{Text("在吗")}}, ClassReceived},
		{"temporary session", &PrivateMessage{Common: that, SubType: "group", GroupID: 1, UserID: 2, Message: Message{Text("在吗")}}, ClassReceived},
		{"own to a friend", &PrivateMessage{Common: that, UserID: 10000, TargetID: 2, Message: Message{Text("在")}}, ClassOwn},
		{"guild", &GuildMessage{Common: that, UserID: "3", Message: Message{Text("在吗")}}, ClassReceived},
		{"own in a guild", &GuildMessage{Common: that, Guild: Guild{SelfTinyID: "3"}, UserID: "3", Message: Message{Text("在")}}, ClassOwn},

		{"group recall", &GroupRecall{Common: that}, ClassIgnored},
		{"friend recall", &FriendRecall{Common: that}, ClassIgnored},
		{"ban", &GroupBan{Common: that}, ClassIgnored},
		{"join", &GroupIncrease{Common: that}, ClassIgnored},
		{"leave", &GroupDecrease{Common: that}, ClassIgnored},
		{"admin", &GroupAdmin{Common: that}, ClassIgnored},
		{"card", &GroupCard{Common: that}, ClassIgnored},
		{"poke", &Poke{Common: that}, ClassIgnored},
		{"poke recall", &PokeRecall{Common: that}, ClassIgnored},
		{"friend add", &FriendAdd{Common: that}, ClassIgnored},
		{"bot offline", &BotOffline{Common: that}, ClassIgnored},
		{"bot online", &BotOnline{Common: that}, ClassIgnored},
		{"upload", &GroupUpload{Common: that}, ClassIgnored},
		{"offline file", &OfflineFile{Common: that}, ClassIgnored},
		{"essence", &Essence{Common: that}, ClassIgnored},
		{"title", &GroupTitle{Common: that}, ClassIgnored},
		{"group name", &GroupName{Common: that}, ClassIgnored},
		{"reaction", &Reaction{Common: that}, ClassIgnored},
		{"lucky king", &LuckyKing{Common: that}, ClassIgnored},
		{"honor", &Honor{Common: that}, ClassIgnored},
		{"gray tip", &GrayTip{Common: that}, ClassIgnored},
		{"profile like", &ProfileLike{Common: that}, ClassIgnored},
		{"typing", &InputStatus{Common: that}, ClassIgnored},
		{"client status", &ClientStatus{Common: that}, ClassIgnored},
		{"online file sent", &OnlineFileSend{Common: that}, ClassIgnored},
		{"online file withdrawn", &OnlineFileReceive{Common: that}, ClassIgnored},
		{"flash file", &FlashFile{Common: that}, ClassIgnored},
		{"guild recall", &GuildRecall{Common: that}, ClassIgnored},
		{"guild reactions", &GuildReactions{Common: that}, ClassIgnored},
		{"guild channel", &GuildChannel{Common: that}, ClassIgnored},
		{"friend request", &FriendRequest{Common: that}, ClassIgnored},
		{"group request", &GroupRequest{Common: that}, ClassIgnored},
		{"lifecycle", &Lifecycle{Common: that}, ClassIgnored},
		{"heartbeat", &Heartbeat{Common: that}, ClassIgnored},
		{"gap", &Dropped{Common: that, Count: 3}, ClassIgnored},
		{"unknown", &Unknown{Common: that}, ClassIgnored},
		{"nothing", nil, ClassIgnored},
	} {
		assert.Equal(t, c.want, Classify(c.e), c.name)
		if c.e != nil {
			seen[reflect.TypeOf(c.e).Elem().Name()] = true
		}
	}
	for _, kind := range eventTypes(t) {
		assert.True(t, seen[kind], "say what becomes of %s", kind)
	}
	assert.Equal(t, "ignored received own", ClassIgnored.String()+" "+ClassReceived.String()+" "+ClassOwn.String())
}

// eventTypes lists the types of this package that embed Common.
func eventTypes(t *testing.T) (names []string) {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		require.NoError(t, err)
		ast.Inspect(f, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if s, ok := spec.Type.(*ast.StructType); ok {
				for _, field := range s.Fields.List {
					if id, ok := field.Type.(*ast.Ident); ok && len(field.Names) == 0 && id.Name == "Common" {
						names = append(names, spec.Name.Name)
					}
				}
			}
			return true
		})
	}
	require.Greater(t, len(names), 30)
	return names
}
