package facts

import (
	"strings"
)

var (
	jobNews = setOf(" 到岗 社招 校招 面上了 上班一周 上班半个月 上班一个月 退休 辞了 换地方 涨薪 签的合同 签了合同 签合同 劳动合同 有工作 有班上 有活干 出息了 最后一天 交接 试用期 工作定了 工作找好 工作有着落 上岗 猎头 待遇 薪资 内推 年终奖 五险一金 换工作 换了工作 换了份工作 换了个工作 找到工作 找着工作 新工作 跳槽 入职 离职 辞职 转岗 上岸 offer Offer OFFER 面试过 面试通过 转正 报到 上班第一天 第一天上班 新公司 新东家 换公司 换单位 工位 工牌")
	// jobEnds mean that somebody has no job any more.
	jobEnds    = setOf("|-被裁判|-被裁缝|-被炒菜|-被炒作|-n+1次|-N+1次|-n+1个|-N+1个|-n+1遍|-n+1条|-n+1天|下岗证|合约到期|聘期到|合同期满|期满走人|退休老头|退休老太|-失业预警|-下岗潮|-退休生活|-退休还|-退休早|-裁员潮|退下来|当场辞|撂挑子不干|工作黄|工作吹了|offer黄了|岗位没了|工作没保住|铁饭碗我给扔|饭碗给扔|裁到我头上|裁到我|轮到我被裁|把我裁了|把我优化|被裁员|被公司裁|不再给资本家|告别职场|脱离苦海|逃离职场|告别打工|退出职场|合同没续|合同不续|被公司毕业|被毕业|没得班上|没有班上|没班上|没班可上|没活干|没事做了|班不上了|班我不上了|不伺候了|老子不伺候|离职手续|离职申请|离职流程|提了离职|提离职|交了离职|交离职|办离职|办了离职|办好离职|办完离职|辞职信批|辞职批了|离职批了|辞呈批了|试用期没过|公司没了|公司解散|厂子黄了|单位倒闭|单位黄了|不续签|被辞|给辞退|丢饭碗|饭碗丢了|饭碗没了|铁饭碗没了|饭碗砸了|砸了饭碗|卸甲归田|告老还乡|光荣退休|正式退休|离岗|内退|办了内退|解甲归田|毕业了（|喜提失业|喜提毕业|喜提裁员|赔偿到手|拿赔偿|拿了赔偿|拿了n+1|拿了N+1|拍拍屁股走|离职第一天|裸辞第一天|失业第一天|失业人员|失业中|待业中|求职中|找工作中|空窗期|赋闲|赋闲在家|在家闲着|在家歇着|-想离职申请|-公司没了网|-离职率|-辞职的心|-离职的心|没上班了|没在上班|跟公司拜拜|跟公司说拜拜|和公司说再见|离开那破公司|离开这破公司|离开破公司|跑路了|提桶跑路|提桶走人|告别老东家|老东家和平分手|老东家分手|办完交接|交接完|合同到期|没续签|不续约|没续约|辞职了|辞职|离职了|离职|失业了|失业|被裁了|被裁|裁了我|裁员了我|裁掉|被优化|裸辞|下岗|没工作了|没工作|没有工作|无业|待业|把工作辞|工作辞了|工作没了|工作丢了|丢了工作|丢工作|辞了工作|辞掉了工作|辞掉工作|辞工|辞了职|离了职|辞了|辞掉了|退休了|退休手续|退休|办退休|病退|提前退|last day|lastday|Last day|LAST DAY|最后一天班|最后一天上班|最后一天在|最后一个工作日|交了辞呈|交的辞呈|辞呈|递了辞职|交了辞职|提了辞职|工牌交|交了工牌|工牌还|还了工牌|上交工牌|炒了老板|把老板炒|炒老板|炒鱿鱼|被炒|炒了公司|把公司炒|被开了|被开除|被辞退|被劝退|被解雇|卷铺盖|滚蛋了|拍屁股走人|走人了|撂挑子|n+1|N+1|不用上班了|不用打卡|再也不用上班|再也不上班|不上班了|不干了|gap|间隔年|待岗|自由身|无业游民|在家待业|家里蹲|收拾东西走人|离开公司|公司倒闭|公司黄了|厂子倒闭|厂里倒闭|店倒闭|单位解散|部门解散|整组被裁|-想辞职|-要辞职|-打算辞职|-准备辞职|-想离职|-要离职|-想辞了|-想裸辞|-不辞职|-没辞职|-别辞职|-不敢辞职|-敢辞职|-辞职信怎|-怕失业|-怕被裁|-失业率|-失业金|-不离职|-想退休|-退休金|-退休工资|-退休年龄|-退休后|-退了休又|-等退休|-没毕业|-大学毕业了|-毕业了吗|-要失业|-准备离职|-打算离职|-打算裸辞|-延迟退休|-会被裁|-快毕业|-想被裁|-怎么辞职|-老板跑|-想不干了|-想把工作|-离职证明")
	working    = setOf(" 找到工作 找着工作 找到活 领工资 拿工资 端着 办完手续 办手续 做了 -做了个 -做了一个 -做了顿 高就 苟着 苟 -值班室 -值班表 -实习报告 -实习工资 -实习证明 -工作报告 -工作总结 -工作量 -工作服 -加班费 -加班餐 -实习期 -服务区 -服务站 -服务器 -服务员 -服务中心 -干锅 -上班打卡 办的入职 办了入职 办入职 办完入职 打卡上班 混 -混蛋 -混乱 -混合 -混血 -混搭 找了份活 找了个活 找了份工作 找了个工作 找了个班上 谋了个 谋了份 打零工 干临时工 帮忙看店 看店 混得 干得 做得 发展 做嘛 做呢 混日子 上早班 上夜班 上白班 上晚班 三班倒 倒班 干呢 熬着 奋斗 卷 -干得好 -做得好 -做得不错 -干得漂亮 -卷子 -卷起来 -卷死 端盘子 打杂 跑堂 当学徒 做学徒 卖货 管仓库 看大门 上班 工作 打工 任职 就职 供职 实习 做事 搬砖 当牛马 当牛做马 干活 混饭 混口饭 当差 扛活 拧螺丝 打螺丝 站柜台 站岗 报到 转正 的第一天 第一天 入职 值班 坐班 谋生 讨生活 效力 服务 敲代码 写代码 送货 送外卖 跑业务 跑腿 开车 做销售 做实习 做运营 跟项目 驻场 干了 待了 呆了 混了 摸鱼 卖命 卖身 加班 当社畜 教书 代课 带班 干着 混着 待着 呆着 干 -上班时间 -上班族 -工作日 -工作餐 -干嘛 -干净 -干啥 -干饭 -饼干 -干货 -能干 -工作压力 -上班路 -干什么 -工作环境 -干杯 -干掉 -干瞪 -干部")
	joining    = setOf(" -入职要背调 -入职背调 -入职门槛 -入职体检 -入职材料 -入职培训 -入职手续 -入职通知 -入职流程 -入职资料 -入职时间 -入职前 -入职考试 -入职登记 混到了 混到 忽悠到 拉到 骗到 介绍到 安排到 弄进 塞进 入职了 入职 跳槽到了 跳槽到 跳槽去了 跳槽去 跳槽进了 跳槽进 跳到了 跳到 跳去了 跳去 跳进 加入了 加入 考进了 考进 考到了 考到 考上了 考上 考入 进了 进 签了 签约 转到了 转到 转去 转投 调到了 调到 调去 调进 换到了 换到 换去 混进了 混进 入了 面上了 面上 面进 面过了 被分到 分到了 分到 分配到 被调到 上岸 应聘到 应聘上 投奔 就职于 任职于 供职于 效力于 就职 供职 任职 去了 落到 空降 挖到 回归 回了 被派到 外派到 外包到 被外派到 -进群 -进来 -进去 -进门 -进度 -进步 -进货 -进口 -进了群 -进不去 -进医院 -入了坑 -进球 -进修 -进入 -进的 -进厂 -加入群 -加入购物车 -加入我们 -进决赛 -进了决赛 -考上研 -考上大学 -考上了研 -考上编 -进城 -考进前")
	employer   = setOf(" 新东家是 新东家 新公司是 新公司在 新公司叫 新公司 新单位是 新单位在 新单位 新工作在 新工作是 新工作 下家是 下家定了 下家 东家是 单位是 单位在 公司是 公司叫 工作单位是 工作单位 工作单位在 就职单位 工作在 现公司 现在的公司是 现在的单位是 上班的地方是 上班地点在")
	hiring     = setOf(" 录用 录取 录了 录 挖走 挖去 挖过去 挖 招进 招走 招了 招去 聘请 聘 收了 收编 请去 返聘 捞 签下 签了 要了 要走 看上 看中 收留")
	offers     = setOf(" offer Offer OFFER 录用 录取 入职通知 工牌 入职 聘书 聘用 三方 劳动合同 意向书 通知书")
	hires      = setOf(" -员工价 -员工票 -员工通道 收了我 要了我 录了我 签了我 面上了 谈妥了 收我了 给我发了录用 的大红人 的红人 的顶梁柱 的头牌 的台柱子 的得力干将 的销冠 的优秀员工 的正式职工 的职工 的在编 的编内 的骨干 录用他 录用她 录用了他 录用了她 要他 要她 要了他 要了她 招了他 招了她 收了他 收了她 签了他 签了她 把他招 把她招 把他挖 把她挖 把他收 把她收 录取他 录取她 的一员 的一份子 的一分子 的新员工 的社畜 的合同工 的正式工 的临时工 的实习生 的在职 转正了 的人 给我发offer 给我发了offer 发offer 发了offer 给了我offer 给我offer 给offer 要我了 收留我 收留了我 录用我 录用了我 录取我 录取了我 把我招 招了我 聘了我 把我收了 把我要 要我 把我挖 把我录 挖我 offer到手 offer到了 offer offer拿 上班打卡 的工牌 的工位 的打工人 打工人 的牛马 牛马 的员工 员工 正式员工 的人了 上班 做事 报到 实习 转正 加班 入职 第一天 -员工餐 -员工福利 -员工都")
	becoming   = setOf(" 转职成 转职做 转职当 转职 现役 入行 老本行是 老本行就是 老本行 熬成了 熬成 熬到 混到了 混到 干到了 干到 爬到 坐到 干回了 干回 做回了 做回 当回了 当回 岗位换成 转成了 转为 转去做 转去当 被调去做 被调去当 改成 升职成 升职为 升职当 升职做 转 -转账 -转发 -转给 -转告 -转钱 -转圈 -转头 -转眼 -转身 -转了一 岗位是 岗位 职位是 职位 改行做起 改行做 改行当 改行去做 改行去当 改行干 改行成 改行 转行做 转行当 转行去做 转行去当 转行干 转行成 转行 转做 转当 转岗做 转岗到 转岗成 转岗 转型做 改做 改当 当上了 当上 当了 当起了 当起 当着 当 做起了 做起 做了 做上了 做上 做着 做 干起了 干起 干上了 干上 干了 干着 干 成了 成为了 成为 变成了 变成 混成了 混成 升成 升了 升为 升到 升任 升 提拔成 提成 提了 荣升 晋升为 晋升 被聘为 聘为 聘成 聘 任命为 考上了 考上 考成 考了 考 应聘上了 应聘上 应聘 面上了 面上 上岸 转成 转正成 担任 任 从事 混个 找了个 谋了个 谋了份 找了份 找到了 找到 是一名 是一个 是一枚 是一位 是一 是个 是名 是位 是做 是干 是当 是搞 是跑 是开 搞 就是个 就是一 就一个 就一 一枚 一名 是 职业是 职业 工作是 工作 的工作是 的职业是 本职工作是 本职是 本职 主业是 主业 专职 全职做 全职 兼职 身份是 跑 开 -是不是 -是说 -是觉得 -是想 -是要 -还是 -可是 -就是说 -但是 -于是 -要是 -只是 -做完 -做梦 -当然 -当时 -当成 -当年 -当心 -当天 -当初 -做饭 -做作 -干嘛 -干净 -考试 -考虑 -考研 -跑步 -开始 -开心 -开车 -开会 -任何 -任务 -工作日 -升级 -升国 -应该是 -不是 -当回事")
	leaving    = setOf(" 从 离开了 离开 告别了 告别 再见了 拜拜了 不在 没在 不再在 早不在 已经不在 退出")
	leftTail   = setOf(" 辞了 辞职了 上班了 工作了 干了 打工了 做了 待了 呆了 混了 走了 撤了 离职 辞职 跑路 毕业 出来了 出来 滚蛋 了 上班 干 做 工作 溜了 跑了 退了 裸辞 被裁 离开了")
	wishing    = setOf(" 以后肯定 将来肯定 肯定 可能 也许 说不定 想 要 打算 准备 考虑 梦想 希望 将来 想要 想去 要去 不想 没想 能 应该 该 计划 以后想 好想 适合 不适合 可以 像 不如 要不 不会 会 立志 长大 为了 遇到 认识 问 找 不 没 别 假装 面试 投了 面 应聘 -要求 -想不到 -能力 -问题 -不久 -没想到 -没多久 -会计 -不过 -不知不觉 -找到 -面试过 -面试通过 -面试上 -面上 -应聘上 -想通 -应该 -不小心 -差不多 -没几天 -问了 -问就 -里面 -面前 -方面 -外面 -下面 -不再 -不愧 -不用 -没错 -没办法 -找了 -主要 -里面试 -不才")
	roleTails  = setOf(" 这行当 好几年 十来年 十几年 大半辈子 一辈子 半辈子 养活自己 养家糊口 养家 赚钱 混饭吃 混口饭吃 讨生活 为生 好多年 好些年 的那种 了好多年 这行 这一行 这个行业 行业 这活 这份工作 了 啦 的 呢 吧 啊 呀 哈 呗 去了 去 来着 这个岗 岗 岗位 岗了 方向 一枚 一名 一个 一只 一位 出身 来 谋生 糊口 也挺好 这块 相关 方面 工作 的工作 这个工作 这份工 这职业")
	rolePrefix = setOf(" 正儿八经 臭 一名 一个 一枚 一位 一只 一 个 名 位 枚 起了 了 的 光荣的 快乐的 苦逼的 苦逼 一线 普通 普普通通的 小小的 正经 专业 资深 职业 正式的 合格的 全职的 新晋 实习的 合格 打工的 那种 这种 去 做 当 光荣 无情的 平平无奇的 平平无奇 干 跑 开")
	roles      = setOf(" -二手 -左手 -右手 -新装修 -精装修 -员工 师傅 鼓手 贝斯手 吉他手 键盘手 -毕业设计 -课程设计 -三无产品 -新产品 操盘手 列车长 车长 船长 护士长 厨师长 行长 社长 团长 经纪 经纪人 陪练 家政 教培 带货 主播 工头 地勤 安检 质检员 陪诊师 陪护 护理 药剂 会务 司仪 婚礼策划 招商 风控 信贷 核保 理赔 投研 开发者 运维 网安 安服 渗透 嵌入式 单片机 制图 绘图 打版 版师 打样 普工 流水线 操作工 杂工 小工 帮厨 洗碗工 配菜 切配 传菜 传菜员 迎宾 领班 大副 二副 轮机 站务 客运 乘警 协管 协管员 网格员 社区工作者 村医 校医 护工 产康 催乳 育婴 早教 托管 代课 -带货群 -铲屎官 阿姨 裁缝 宿管 门卫 电梯工 保管员 讲解员 钟点工 育儿嫂 护林员 河道工 -举手 -拍手 -招手 -挥手 工作者 志愿者 从业者 创业者 DBA SRE QA PM BD TA CTO CEO CFO 售前 售后 测开 技术支持 数据 大数据 客户端 服务端 安卓 iOS 数值 交互设计 前台 师 员 手 工 官 医 士 匠 家 经理 助理 主管 总监 老板 客服 销售 运营 产品 产品经理 策划 前端 后端 全栈 开发 测试 美工 司机 保安 保姆 会计 出纳 护士 律师 法务 翻译 教练 模特 up主 UP主 博主 编辑 记者 导游 中介 秘书 hr HR HRBP 行政 文员 学生 大学生 研究生 博士 博士生 老师 医生 大夫 警察 辅警 交警 民警 特警 狱警 城管 军人 兵 导演 编剧 摄影 人事 审计 投行 自媒体 自由职业 外卖 快递 骑手 外卖小哥 快递小哥 码农 店长 厨子 画手 代购 微商 教授 讲师 辅导员 班主任 顾问 飞行员 机长 空乘 空姐 空少 乘务 列车员 助教 实习生 公务员 合伙人 收银 剪辑 动画 建模 算法 程序猿 程序媛 程序员 月嫂 幼师 园长 校长 主任 组长 队长 班长 部长 院长 所长 科长 处长 村官 村支书 社工 义工 群演 演员 歌手 作家 写手 画师 插画师 漫画家 设计 UI 架构师 数据分析 分析师 精算师 律助 法官 检察官 公证员 店员 服务员 营业员 售货员 导购 柜员 理货员 库管 仓管 保洁 清洁工 环卫工 厨师 大厨 面点师 西点师 甜点师 咖啡师 调酒师 茶艺师 理发师 美发师 Tony 美甲 美容师 化妆师 按摩师 技师 电工 焊工 电焊工 钳工 车工 木工 瓦工 油漆工 水电工 装修 包工头 监理 造价 施工员 安全员 质检 品控 采购 物流 货代 跟单 外贸 报关员 车间主任 厂长 工人 矿工 农民 养殖户 渔民 兽医 宠物医生 牙医 药师 药剂师 中医 麻醉师 康复师 营养师 健身教练 私教 瑜伽老师 舞蹈老师 游泳教练 驾校教练 滴滴司机 网约车司机 货车司机 公交司机 出租车司机 代驾 保险代理 理财顾问 柜姐 促销 地推 房产中介 二房东 客服专员 专员 文案 新媒体 编导 场务 灯光师 录音师 调音师 配音 配音演员 DJ 电竞选手 陪玩 代练 游戏策划 原画 原画师 特效 网管 网工 机修 修车工 收费员 投递员 邮递员 管理员 调度 乘务员 船员 海员 水手 消防员 老板娘 个体户 网店店主 店主 摊主 研究员 科学家 科研狗 博士后 规培生 大堂经理 客户经理 项目经理 总经理 副总 总裁助理 -大家 -国家 -人家 -自家 -回家 -在家 -玩家 -专家号 -行家 -独家 -作者说 -记者会 -分手 -对手 -新手 -动手 -歌手2 -高手 -双手 -洗手 -国手 -亲手 -水手服 -士多 -开工 -手工 -分工 -罢工 -完工 -停工 -复工 -施工 -加工 -返工 -会员 -队员 -成员 -人员 -演员表 -全员 -动员 -裁员 -官方 -学者 -或者 -作者 -患者 -前者 -后者 -记者证 -笔者 -五官 -感官 -巴士 -博士后流 -女士 -男士 -战士 -爵士 -威士忌 -芝士 -瑞士 -就医 -法医秦明 -小兵")
)

func isRole(s string) bool {
	if n := len(s); n >= 2 && n <= 4 && latinPrefix(s) == n && s == strings.ToUpper(s) && roles.is(s) {
		return true
	}
	if w := roles.ends(s); w != "" && bareRoles.is(w) && len(w) < len(s) && runes(s)-runes(w) > 2 && !branches.begin(s) { // 毕业设计
		return false
	}
	if n := runes(s); n < 2 || n > 8 || strings.ContainsAny(s, "的了我你他是在替让请找被她它们吗啥没很就确谢") || notCrafts.begin(s) || firmEnds.is(s) {
		return false
	}
	return roles.ends(s) != ""
}

// branches stand before nouns that are occupations only with a few words: 平面设计.
var branches = setOf(" 前端 后端 全栈 软件 硬件 游戏 平面 室内 服装 工业 新媒体 社群 用户 内容 活动 电商 短视频 直播 房产 保险 汽车 医药 医疗 渠道 大客户 电话 外贸 跨境 国际 算法 机器学习 自动化 功能 性能 网络 系统 行政 人力 UI UX ui 视频 影视 婚礼 商业 市场 银行 证券 海外 淘宝 抖音 亚马逊 嵌入式 安卓 iOS 数据 大数据 高级 资深 实习 兼职 全职 企业 项目 珠宝 空间 景观 建筑 结构 机械 电气 包装 展览 舞台 动画 三维 3D 后期 同声 英语 日语 法语 韩语 德语 图书 杂志 报社 采购 供应链 仓储 快递 冷链")

// notCrafts words begin what is no occupation: 问问老师.
var notCrafts = setOf(" 考 -考官 -考古 -考评 好 问 忙 想 看 交给 报公 找")

// job reads 我在腾讯上班, 我入职腾讯了, 我当老师了 and 我离职了.
func (r jobReader) job(c *clause) bool {
	if c.subject == "" {
		return false
	}
	if !r.aboutJob && !jobWords.in(c.text) && (c.rest == c.text || !jobWords.in(c.rest)) && !roles.in(c.rest) {
		return false
	}
	if r.jobEnd(c) {
		return true
	}
	if c.past || strings.HasSuffix(c.text, "吧") && !strings.HasSuffix(c.text, "了吧") { // 咱去当老师吧
		return false
	}
	return r.craft(c) || r.worksAt(c) || r.becomes(c)
}

var jobWords = unionOf(crafts, madeOf, jobEnds, leaving, joining, employer, hires, offers, hiring, firms, stationed, becoming, leftTail)

// cleanRole removes what stands around an occupation.
func cleanRole(v string) string {
	v = rolePrefix.cutAll(cutDuration(rolePrefix.cutAll(v)))
	for _, more := range [...]string{"的第", "做了", "当了", "干了"} { // 当老师的第三年
		if i := strings.Index(v, more); i > len("老师") {
			v = v[:i]
		}
	}
	for {
		short := strings.TrimSpace(particles.cutEnds(v))
		if isRole(short) {
			return short
		}
		short = strings.TrimSuffix(cutDurationEnd(strings.TrimSuffix(short, "来年")), "有")
		cut, ok := roleTails.cutEnd(short)
		if v = cut; !ok {
			return strings.TrimSpace(v)
		}
	}
}

func isDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }

// worksAt reads 我在腾讯上班, 我入职腾讯了 and 腾讯录用我了.
func (r jobReader) worksAt(c *clause) bool {
	rest := c.rest
	if _, why, ok := strings.Cut(rest, "因为"); ok && c.explicit { // 小王没上线是因为去腾讯上班了
		rest = why
	}
	if strings.HasPrefix(rest, "从") || strings.Contains(rest, "，从") {
		for _, verb := range [...]string{"跳槽", "跳到", "跳去", "转到", "换到", "去了", "到了", "转去", "来到", "调到"} {
			if i := strings.Index(rest, verb); i > 0 {
				rest = rest[i:]
				break
			}
		}
	}
	if w, _ := firms.begins(rest); w != "" && c.before == "" && (c.explicit || lately.in(c.lead)) { // 小王现在腾讯打工
		if firm, role := splitRole(rest); firm == w && !strings.HasPrefix(rest[len(w):], "的") {
			return r.claim(c, Job, w+role, false)
		}
		if verb, _ := working.begins(rest[len(w):]); verb != "" && lately.in(c.lead+strings.TrimSuffix(c.text, c.rest)) {
			return r.claim(c, Job, w, false)
		}
	}
	if at, ok := r.offered(c, rest); ok {
		return r.claim(c, Job, at, false)
	}
	if before, w, after := employer.find(rest); w != "" && runes(before) < 6 {
		after, _ = cutAny(strings.TrimLeft(after, " ：:"), []string{"就是", "是", "在", "定了", "："})
		if at := r.firmAfter(after); at != "" {
			return r.claim(c, Job, at, false)
		}
	}
	if before, w, after := joining.find(rest); w != "" && (c.nearJob(before) || hardWon(before)) {
		if !(strings.HasPrefix(w, "考") && isRole(cleanRole(after))) {
			weak := w == "进" || w == "进了" || w == "去了" || w == "签了" || w == "回了" || w == "入了" || w == "上岸" || w == "加入" || w == "加入了" || w == "考到" || w == "考到了" || weakJoin.is(w) || strings.HasPrefix(w, "转") || strings.HasPrefix(w, "调") || strings.HasPrefix(w, "分") || w == "落到" || w == "就职"
			if at := r.firmAfter(after); at != "" && (!weak || isFirm(at) && (!visited.is(at) || strings.HasPrefix(w, "进") && at != "医院" && at != "派出所") || r.aboutJob || working.in(after)) {
				return r.claim(c, Job, at, false)
			}
		}
	}
	if before, w, after := stationed.find(rest); w != "" && (c.nearJob(before) || hardWon(before)) && !wishing.in(degreesEnd(before)) {
		if r.firmAt(c, w, after) {
			return true
		}
	}
	if r.ofFirm(c, rest) {
		return true
	}
	if !r.aboutJob || c.explicit || c.before != "" {
		return false
	}
	at := firmName(rest) // 终于上岸了，机械厂
	return at != "" && at == particles.cutEnds(rest) && isFirm(at) && !joining.in(at) && !stationed.in(at) && r.claim(c, Job, at, false)
}

// nearJob is near, but does not accept a wish.
func (c *clause) nearJob(before string) bool {
	head := degreesEnd(strings.TrimSpace(before))
	for _, no := range [...]string{"想", "不想", "打算", "准备", "能", "没", "不", "没有", "考虑", "不能", "希望", "梦想"} {
		if strings.HasSuffix(head, no) {
			return false
		}
	}
	if strings.HasSuffix(head, "要") && !c.future && !strings.HasSuffix(c.text, "了") {
		return false
	}
	head = strings.TrimSuffix(strings.TrimSuffix(head, "要"), "是")
	return c.near(head) || strings.HasSuffix(head, "把我") || c.explicit && runes(head) < 12 && !kin.in(head) && !strings.Contains(head, "你") || plainLead(head)
}

// hardWon reports whether a text tells of the way to a job: 面了三轮终于进腾讯了.
func hardWon(head string) bool {
	w, _ := efforts.begins(fillers.cutAll(strings.TrimSpace(head)))
	return w != "" && !kin.in(head) && !strangers.in(head) && runes(head) < 12
}

var efforts = setOf(" 退了休 退休 今儿 社招 校招 秋招 春招 内推 托人 猎头 面试 千挑万选 面了 投了 考了 等了 熬了 找了 苦了 卷了 拼了 努力了 历经 经过 几经 过五关 千辛万苦 考研失败 毕业 实习 裁员 失业 托关系 靠关系 家里托 家里找 朋友介绍 熟人介绍 裸辞 离职 辞职 休息了 歇了 闲了 躺了 在家")

// weakJoin words also take what is no firm: 跳进泳池, 拉到投资.
var weakJoin = setOf(" 混到了 混到 拉到 骗到 弄进 塞进 跳到 跳到了 跳去 跳去了 跳进 跳进了 换到 换到了 换去 落到 混进 混进了")

// crafts are occupations that a verb names: 我是送快递的.
var crafts = setOf(" 送快递 送外卖 开出租 开滴滴 开网约车 开货车 开大车 开公交 跑外卖 跑滴滴 跑网约车 跑运输 教书 当兵 修车 卖保险 卖房 搞装修 跑业务 理发 摆摊")

// craft reads 我是送快递的 and 现在送外卖呢.
func (r jobReader) craft(c *clause) bool {
	before, w, after := crafts.find(c.rest)
	if w == "" || before == "" && !strings.Contains(c.lead, "现在") && !strings.Contains(c.lead, "目前") && !strings.Contains(c.lead, "最近") || strings.HasPrefix(after, "过") {
		return false
	}
	before, _ = cutEndAny(before, []string{"是个", "是一个", "个", "一个", "是", "在", "靠", "改行", "转行", "去"})
	return (particles.cutEnds(after) == "" || after == "的") && light(before) && r.claim(c, Job, w, false)
}

// becomes reads 我当老师了, 我是一名护士 and 我改行做销售了.
func (r jobReader) becomes(c *clause) bool {
	rest := c.rest
	if _, at, ok := strings.Cut(rest, "成为"); ok { // 正式成为腾讯人
		if at, ok := cutEndAny(particles.cutEnds(strings.TrimPrefix(at, "了")), []string{"社畜", "牛马", "员工", "打工人", "的打工人", "人"}); ok && isFirm(at) {
			return r.claim(c, Job, at, false)
		}
	}
	if before, name, ok := strings.Cut(c.text, "新来的"); ok && isFirm(firmName(before)) { // 腾讯新来的那个就是小王
		for _, m := range r.mentions(name) {
			if !m.self && strings.HasSuffix(name[:m.at], "是") {
				return r.add(m.id, Job, firmName(before), false)
			}
		}
	}
	for from := 0; from < len(rest); {
		before, w, after := becoming.find(rest[from:])
		if w == "" {
			break
		}
		lead := strings.TrimSuffix(rest[:from+len(before)], "的")
		lead, _ = cutEndAny(lead, []string{"靠着", "靠", "就", "已经"})
		if short, ok := strings.CutSuffix(lead, "在"); ok && (c.explicit || light(short)) {
			lead = short
		}
		if strings.HasSuffix(lead, "不") || strings.HasSuffix(lead, "没") {
			return false
		}
		if once.begin(after) || strings.HasPrefix(w, "找") && !strings.Contains(after, "工作") && !strings.Contains(after, "的活") && !strings.Contains(after, "的班") && !r.aboutJob { // 当了一天司机, 找了个保洁
			from = len(rest) - len(after)
			continue
		}
		role := cleanRole(after)
		if isRole(role) && !unpaid.begin(role) && !strings.HasSuffix(lead, "专业") {
			direct := c.explicit || w != "是" && w != "做" && w != "当" && w != "干" && w != "跑" && w != "开" && w != "工作" || plainLead(lead)
			head := degreesEnd(strings.TrimSpace(lead))
			switch {
			case wishing.ends(head) != "" && !(strings.HasSuffix(head, "要") && strings.HasSuffix(c.text, "了")) || wishing.in(head) || strings.HasPrefix(after, "过") || strings.HasPrefix(after, "不了"):
				return false
			case !c.explicit && lead == "" && !c.stressed && (!strongRole(role) || runes(role) < 3) && plainVerb.is(w) && !r.aboutJob && !r.self && r.named == "" && !strings.HasSuffix(c.text, "了") && !strings.HasSuffix(c.text, "的"): // 做美甲
			case weakRole.is(w) && !c.explicit && !r.aboutJob && r.named == "" && !r.self:
			case direct && (c.near(lead) || c.nearJob(lead)) && !strings.Contains(lead, "的"):
				return r.claim(c, Job, role, false)
			}
		}
		from = len(rest) - len(after)
	}
	if one, ok := cutEndAny(rest, []string{"一枚", "一名", "一个", "一位"}); ok && (r.aboutJob || c.explicit) && isRole(one) {
		return r.claim(c, Job, one, false)
	}
	if role := r.madeRole(c); role != "" && c.before == "" {
		return r.claim(c, Job, cleanRole(role), false)
	}
	if role := r.ownRole(c); role != "" {
		return r.claim(c, Job, role, false)
	}
	if c.explicit && c.before == "" && !strings.Contains(c.text, "专业") { // 我程序员一枚
		if role := cleanRole(fillers.cutAll(rest)); isRole(role) && bareRoles.ends(role) == "" && !strings.ContainsAny(role, "给到把用") && !loving.in(role) && !hating.in(role) && !strings.ContainsAny(role, "不没") && rest != "" && (lastRune(role) != '家' && strongRole(role) || c.carried || copula.ends(strings.TrimSuffix(c.text, c.rest)) != "") {
			return r.claim(c, Job, role, false)
		}
	}
	return false
}

// copula words make what follows a predicate.
var copula = setOf(" 就是一 是一 就一 是 就是 也是 算是 可是 才是 本来就是 就是个")

// plainVerb words need a subject or news of a job before a word that may be no occupation.
var plainVerb = setOf(" 做 当 干 是个 是 是一个 搞")

var (
	// once words tell that somebody does something for a short time.
	once = setOf(" 一天 半天 一次 一回 一会 一下午 一上午 一晚 一整天 两天 一把 把 回 次 了一天 了半天 了一次 了一回 了一会 了一下午 了把 了回 了次 了一把")
	// unpaid words stand before what is no occupation.
	unpaid = setOf(" 免费 背锅 人肉 工具 气氛 专属 贴身 业余 临时 一日 一天")
)

// strongRole reports whether an occupation needs no verb.
func strongRole(role string) bool {
	return len(roles.ends(role)) > len("师") || strings.HasSuffix(role, "师") || strings.HasSuffix(role, "员")
}

// bareRoles need a verb: 我做外卖.
var bareRoles = setOf(" 外卖 快递 产品 运营 设计 数据 行政 装修 采购 物流 收银 剪辑 动画 摄影 销售 开发 测试 建模 算法 文案 特效 代购 翻译 编辑 策划 审计 人事 地推 促销 代练 手 者 家 编导 外贸 跟单 模特 投行 自媒体 博士 -程序员 -服务员 -公务员 -消防员 -售货员 -店员 -电工 -木工 -焊工 -社工")

// weakRole words need a subject or news of a job.
var weakRole = setOf(" 聘 应聘 提 转 主业 兼职 专职 岗位 职位 考成 混个 找到 找到了 找了个 跑 开 搞 考 考了 工作 升 任 提了")
