# ruff: noqa: E501 - a line is an utterance
"""English: names, goods, dialogues.

Read by `phrases`.
"""

from frontdesk.sandbox.phrases.script import Language, read_scripts

_SCRIPTS = """
= late
c Hi, where is my order? It was supposed to come on {day}
c Order {order}
b Hi {name}! 👋 Thanks for writing to Acme Home. Let me look up order {order} for you.
b Your {item} left our warehouse and is with the courier. Would you like to talk to a person?
c Yes please
s Conversation assigned to {agent}
a Hi {name}, {agent} here. I can see the courier missed one stop in your area yesterday, I'm sorry about that.
a I've put you on the first run tomorrow morning, between 8 and 11.
c ok great, I'll be home
c thank you 🙏
a You're welcome! You'll get a message when the driver is on the way.
= late
c It's been two weeks and still no {item}. What's going on??
i I'm sorry about the wait, {name}. Order {order} is being held at the regional depot because of an incomplete address. May I confirm your house number?
c 14B, it's on the order
i Thank you. I've passed 14B on to the depot and asked a colleague to follow up today.
n Address on the label says 148. Called the depot, they relabel it this afternoon.
a Hi {name}, the label had a typo. It's fixed and will go out on {day}. I've also taken the delivery fee off your bill.
c That's kind, thanks for sorting it
= wrong_size
c Hello! I received the wrong size. I ordered the large {item} and this is definitely the small one 😅
b Hi {name}, sorry to hear that! Could you send a photo of the label on the box?
c @image label.jpg
a Thanks {name}, that's our mistake. The right one ships today and the driver takes the wrong one back. No need to repack it perfectly.
c Amazing. Do I need to be home?
a Only for the pick-up. {day} between 12 and 16, does that work?
c Works 👍
= refund
c I returned the {item} ten days ago and I still don't have my money back
b Hi {name}! Refunds usually take 5 to 7 working days after we receive the item. Could you share your order number?
c {order}
a Hi {name}, I can see it arrived on {day}. The refund of {amount} was approved this morning and will be on your card within 3 days.
c Could you send me a confirmation?
a @file refund-{order}.pdf
a Here you go 🧾
c Got it, thanks
= damaged
c The {item} arrived broken. One leg is cracked all the way through
c @image broken-leg.jpg
b Oh no! I'm sorry, {name}. I'm connecting you with our team right away.
a Hi {name}, that shouldn't happen. Would you prefer a replacement part or a new {item}?
c Just the part is fine if it fits
a It does. It will be with you on {day}, screws included. Keep the old one, no need to send it back.
c 😍 perfect
= assembly
c Quick question, the instructions for the {item} mention part F but there is no part F in the bag
i Hi {name}! Part F is the metal bracket that comes taped under the top shelf. Could you have a look there?
c Found it!! I feel silly 😂
i Happens to everybody, the tape is well hidden. Enjoy your new {item}!
= stock
c Is the {item} in oak coming back?
b Hi {name}! The oak version is expected on {day}. Shall I let you know when it's there?
c Yes please, and can I reserve two?
a Hi, {agent} from Acme Home. I've reserved two for you under {order}, you can pay when they arrive.
c Brilliant
= address
c I moved last week, can you change the delivery address for {order}?
b Of course! Please send the new address in one message.
c 22 Harbour Lane, second floor. The lift is broken, so please tell the driver
a Changed, {name}. I've added a note about the lift, and there'll be two of them carrying the {item}.
c 🙏🙏
= invoice
c Hi, I need an invoice with our company's VAT number for order {order}
a Hi {name}, sure. What's the company name and VAT number?
c Larkspur Studio Ltd, GB 123 4567 89
a @file invoice-{order}.pdf
a Done, it's attached. Future orders will carry it by themselves.
c Thanks, very quick!
= delivery_time
c Can the {item} be delivered in the evening? We both work 👨‍👩‍👧‍👦
b Hi {name}! Evening deliveries (18:00 to 21:00) are available on Tuesdays and Thursdays. Which one suits you?
c Thursday
b Booked for Thursday, 18:00 to 21:00 ✅
c Perfect, thank you
= discount
c Hello, the code WELCOME10 doesn't work on the {item}
i Hi {name}! WELCOME10 is valid for first orders over £80. Your basket is at {amount}, so it should work. Is it possible that the code has a space at the end?
c That was it 🤦‍♀️ thanks
= complaint
c The delivery guys scratched our hallway wall. I'm not happy
c @image wall.jpg
b I'm very sorry to hear that, {name}. I'm passing this on to a supervisor.
n Supervisor informed. Ask for two quotes, insurance covers up to £500.
a Hi {name}, my name is {agent}. Thank you for the photo. We'll pay for the repair. Could you get us one or two quotes from a painter?
c I'll ask around. Should have them by {day}
a Wonderful, just send them here. And I'm sorry for the trouble.
"""

_PAIRS = """
= reorder
c Morning! Same again as last month please, 12 x {item}
a Good morning {name}, booked under {order}. Delivery on {day}.
c 👍
= quote
c Could I get a price for 40 of the {item}?
a For 40 we can do {amount} a piece, delivery included.
c Let me check with my partner and come back to you
= delivery_check
c Is the truck on its way?
b Delivery {order} is 6 stops away, about 40 minutes.
b I'll write again ten minutes before.
c Super, we'll open the gate
= count
c We're one {item} short in {order}
a Sorry about that! The missing one goes out tonight.
c no rush, thanks
= small_talk
c Have a nice weekend 🌞
a You too, {name}!
= invoice
c Can you resend the invoice for {order}?
a @file invoice-{order}.pdf
c Thanks!
= paid
c Paid {amount} just now
a Received, thank you {name}!
= hours
c Are you open on {day}?
b Yes! Our showroom is open on {day} from 9:00 to 18:00.
"""

LANGUAGE = Language(
    code="en",
    first_names=(
        "Oliver",
        "Amelia",
        "George",
        "Isla",
        "Harry",
        "Ava",
        "Jack",
        "Emily",
        "Noah",
        "Sophie",
        "Leo",
        "Grace",
        "Oscar",
        "Freya",
        "Charlie",
        "Alice",
        "Henry",
        "Ella",
        "Arthur",
        "Poppy",
        "Theo",
        "Ruby",
        "Finley",
        "Maya",
    ),
    last_names=(
        "Smith",
        "Jones",
        "Taylor",
        "Brown",
        "Williams",
        "Wilson",
        "Davies",
        "Evans",
        "Thomas",
        "Roberts",
        "Walker",
        "Wright",
        "Hughes",
        "Green",
        "Hall",
        "Wood",
        "Clarke",
        "Patel",
        "Khan",
        "Bennett",
        "Murphy",
        "O'Connor",
        "Fraser",
        "Lloyd",
    ),
    items=(
        "oak bookshelf",
        "floor lamp",
        "dining table",
        "linen sofa",
        "desk",
        "bed frame",
        "wool rug",
        "kitchen trolley",
        "mirror",
        "wardrobe",
        "garden bench",
        "bar stool",
    ),
    days=("Monday", "Tuesday", "Wednesday", "Thursday", "Friday"),
    scripts=read_scripts(_SCRIPTS),
    pairs=read_scripts(_PAIRS),
)
