# ruff: noqa: E501 - a line is an utterance
"""Spanish: names, goods, dialogues.

Read by `phrases`.
"""

from frontdesk.sandbox.phrases.script import Language, read_scripts

_SCRIPTS = """
= late
c Hola, ¿dónde está mi pedido? Tenía que llegar el {day}
c Es el {order}
b ¡Hola {name}! 👋 Gracias por escribir a Acme Home. Déjame buscar el pedido {order}.
b Tu {item} ya salió del almacén y lo tiene el transportista. ¿Quieres hablar con una persona?
c Sí, por favor
s Conversación asignada a {agent}
a Hola {name}, soy {agent}. Veo que el repartidor se saltó tu dirección ayer, lo siento mucho.
a Te he puesto en la primera ruta de mañana, entre las 8 y las 11.
c Perfecto, estaré en casa
c ¡Gracias! 🙏
a ¡A ti! Recibirás un mensaje cuando el conductor esté en camino.
= late
c Llevo dos semanas esperando el {item}. ¿Qué pasa??
i Siento la espera, {name}. El pedido {order} está retenido porque falta el número del piso. ¿Me confirmas la dirección?
c Calle Mayor 14, 3º B
i ¡Gracias! Ya lo he pasado al almacén y un compañero lo seguirá hoy mismo.
n Hablado con el almacén, cambian la etiqueta esta tarde.
a Hola {name}, todo arreglado. Sale el {day} y te hemos devuelto los gastos de envío.
c Qué bien, gracias por la gestión
= wrong_size
c ¡Buenas! Me ha llegado la talla equivocada. Pedí el {item} grande y este es el pequeño 😅
b Hola {name}, ¡lo sentimos! ¿Puedes enviar una foto de la etiqueta de la caja?
c @image etiqueta.jpg
a Gracias {name}, error nuestro. El correcto sale hoy y el conductor se lleva el otro.
c ¿Tengo que estar en casa?
a Solo para la recogida. El {day} de 12 a 16, ¿te va bien?
c Me va bien 👍
= refund
c Devolví el {item} hace diez días y todavía no tengo el dinero
b ¡Hola {name}! Los reembolsos tardan de 5 a 7 días laborables. ¿Cuál es el número de pedido?
c {order}
a Hola {name}, llegó el {day}. El reembolso de {amount} se aprobó esta mañana y lo tendrás en 3 días.
c ¿Me puedes mandar un justificante?
a @file reembolso-{order}.pdf
a Aquí lo tienes 🧾
c Recibido, gracias
= damaged
c El {item} ha llegado roto. Una pata está partida
c @image pata-rota.jpg
b ¡Vaya! Lo siento, {name}. Te paso con el equipo ahora mismo.
a Hola {name}, esto no debería pasar. ¿Prefieres la pieza o un {item} nuevo?
c Con la pieza me vale
a Te llega el {day}, tornillos incluidos. No hace falta devolver la vieja.
c 😍 genial
= assembly
c Una duda, las instrucciones del {item} hablan de la pieza F y no está en la bolsa
i ¡Hola {name}! La pieza F es la escuadra metálica pegada bajo la balda de arriba. ¿Puedes mirar ahí?
c ¡¡La encontré!! 😂
i Le pasa a todo el mundo. ¡Disfruta de tu {item}!
= stock
c ¿Volverá el {item} en roble?
b ¡Hola {name}! Lo esperamos el {day}. ¿Te aviso cuando llegue?
c Sí, ¿y puedo reservar dos?
a Hola, soy {agent}. Te he reservado dos en el pedido {order}, se pagan al llegar.
c Estupendo
= address
c Me mudé la semana pasada, ¿podéis cambiar la dirección del pedido {order}?
b ¡Claro! Envía la dirección nueva en un solo mensaje.
c Paseo del Puerto 22, 2º. No hay ascensor, avisad al conductor por favor
a Cambiada, {name}. He añadido la nota y vendrán dos personas con el {item}.
c 🙏🙏
= invoice
c Hola, necesito factura con el CIF de la empresa para el pedido {order}
a Hola {name}, claro. ¿Nombre y CIF?
c Estudio Jara SL, B00000000
a @file factura-{order}.pdf
a Adjunta. En los próximos pedidos saldrá sola.
c ¡Qué rapidez, gracias!
= delivery_time
c ¿Podéis traer el {item} por la tarde? Trabajamos los dos 👩‍❤️‍👨
b ¡Hola {name}! Por la tarde (18:00 a 21:00) hay martes y jueves. ¿Cuál prefieres?
c Jueves
b Reservado para el jueves, de 18:00 a 21:00 ✅
c Perfecto, gracias 🇪🇸
"""

_PAIRS = """
= reorder
c ¡Buenos días! Lo mismo que el mes pasado, 12 unidades de {item}
a Buenos días {name}, anotado en el {order}. Entrega el {day}.
c 👍
= quote
c ¿Qué precio tendrían 40 unidades de {item}?
a Para 40 os lo dejamos en {amount} la unidad, envío incluido.
c Lo consulto con mi socia y te digo
= delivery_check
c ¿Viene ya el camión?
b La entrega {order} está a 6 paradas, unos 40 minutos.
b Te aviso otra vez diez minutos antes.
c Genial, abrimos la puerta
= count
c Nos falta un {item} en el {order}
a ¡Perdón! Sale esta noche.
c Sin prisa, gracias
= small_talk
c ¡Buen finde! 🌞
a ¡Igualmente, {name}!
= invoice
c ¿Me reenvías la factura del {order}?
a @file factura-{order}.pdf
c ¡Gracias!
= paid
c Acabo de pagar {amount}
a Recibido, ¡gracias {name}!
= hours
c ¿Abrís el {day}?
b ¡Sí! El {day} abrimos de 9:00 a 18:00.
"""

LANGUAGE = Language(
    code="es",
    first_names=(
        "Lucía",
        "Hugo",
        "Carmen",
        "Javier",
        "Paula",
        "Álvaro",
        "Elena",
        "Diego",
        "Sara",
        "Pablo",
        "Nuria",
        "Sergio",
        "Inés",
        "Adrián",
        "Rocío",
        "Marcos",
        "Alba",
        "Raúl",
        "Irene",
        "Íñigo",
    ),
    last_names=(
        "García",
        "Fernández",
        "Martínez",
        "López",
        "Sánchez",
        "Romero",
        "Navarro",
        "Torres",
        "Ramírez",
        "Vega",
        "Molina",
        "Ortega",
        "Delgado",
        "Castro",
        "Núñez",
        "Iglesias",
        "Cano",
        "Prieto",
        "Peña",
        "Muñoz",
    ),
    items=("escritorio", "sofá", "espejo", "armario", "taburete", "banco", "carrito", "estante", "cabecero"),
    days=("lunes", "martes", "miércoles", "jueves", "viernes"),
    scripts=read_scripts(_SCRIPTS),
    pairs=read_scripts(_PAIRS),
)
